-- Sends the requests of a file, a target and a body a line, over and over; prints the figures as JSON.
-- wrk … --script load.lua http://… -- FILE HEADER=VALUE …

local requests = {}
local at = 0

function init(args)
   local headers = {}
   for index = 2, #args do
      local name, value = args[index]:match("^([^=]+)=(.*)$")
      headers[name] = value
   end
   for line in io.lines(args[1]) do
      local target, body = line:match("^(%S+) (.*)$")
      headers["X-Amz-Target"] = target
      requests[#requests + 1] = wrk.format("POST", "/", headers, body)
   end
end

function request()
   at = at % #requests + 1
   return requests[at]
end

function done(summary, latency)
   local failed = summary.errors
   io.write(string.format(
      '{"requests": %d, "seconds": %.6f, "p50_us": %d, "p99_us": %d, "failed": %d}\n',
      summary.requests, summary.duration / 1e6,
      latency:percentile(50), latency:percentile(99),
      failed.connect + failed.read + failed.write + failed.status + failed.timeout))
end
