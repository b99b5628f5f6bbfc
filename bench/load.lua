-- What wrk sends, request by request, from the plan that bench/load.ts writes:
--   heads, tails     request number i is heads[i], an Authorization line, tails[i]; after the last the first again
--   first            the number of the request to begin with, from 0
--   authorizations   header lines ("" for none), each used for requestsPerKey requests in a row (nil: at random)
local plan = dofile(os.getenv("BENCH_LOAD_PLAN"))
local sent = 0
math.randomseed(os.time())

function request()
  local i = (plan.first + sent) % #plan.heads + 1
  local k = plan.requestsPerKey and math.floor(sent / plan.requestsPerKey) % #plan.authorizations + 1
    or math.random(#plan.authorizations)
  sent = sent + 1
  return plan.heads[i] .. plan.authorizations[k] .. plan.tails[i]
end

function done(summary, latency)
  local errors = summary.errors
  io.write(string.format(
    '\nRESULT {"requests":%d,"durationUs":%d,"status4xx5xx":%d,"broken":%d,"p50Us":%d,"p99Us":%d}\n',
    summary.requests,
    summary.duration,
    errors.status,
    errors.connect + errors.read + errors.write + errors.timeout,
    latency:percentile(50),
    latency:percentile(99)
  ))
end
