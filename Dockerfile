# docker build -t hashrange .
# docker run -p 8000:8000 -v hashrange:/data hashrange
# A smaller image: docker build --build-arg EXTRAS= -t hashrange:slim .
ARG PYTHON=3.14

FROM python:${PYTHON}-slim AS build
WORKDIR /source
COPY pyproject.toml README.md LICENSE ./
COPY src src
COPY docs docs
COPY container/install.sh container/
# Of pyproject.toml: all that a server can use. Charts would double the image.
ARG EXTRAS=import,s3
RUN sh container/install.sh /source /opt/hashrange "$EXTRAS"

FROM python:${PYTHON}-slim
COPY --from=build /opt/hashrange /opt/hashrange
RUN useradd --system --uid 10001 --no-create-home --shell /usr/sbin/nologin hashrange \
 && install -d -o hashrange -g hashrange /data
USER hashrange
WORKDIR /data
VOLUME /data
EXPOSE 8000
ENV PATH=/opt/hashrange/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    HASHRANGE_HOST=0.0.0.0 \
    HASHRANGE_DATA=/data
# SIGTERM drains: what has begun is answered within HASHRANGE_DRAIN_SECONDS.
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=3s --start-period=5s --retries=3 CMD ["hashrange", "healthcheck"]
ENTRYPOINT ["hashrange"]
CMD ["serve"]
