-- Sends the requests of a file over and over; prints the figures as JSON.
-- Each line has a target, its signature without spaces, which may be empty, and a body.
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
      local target, signature, body = line:match("^(%S+) (%S*) (.*)$")
      headers["X-Amz-Target"] = target
      if signature ~= "" then
         -- Spaces separate the parts of a line.
         headers["Authorization"] = signature:gsub("Credential=", " Credential=", 1)
      end
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
