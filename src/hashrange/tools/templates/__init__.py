"""Complete designs to begin with: `hashrange new TEMPLATE` writes one as a project.

`data` has a folder for each template with its own parts: the model, the story, the fields of
generated items, workflows that need code of their own, and workloads; `data/scaffold` has the files
that are the same in all projects. Everything else is made of the model: `calls` has the requests of
access patterns independent of a language, `python_code` and `typescript_code` write them.

Not here: CloudFormation and Markdown, which `hashrange.tools.models` writes. Begin with `projects`.
"""
