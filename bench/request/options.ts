/** `bench -- request --help`. */
export const REQUEST_HELP = `bench -- request: what each concern of a light request costs: nanoseconds of processor time, bytes, calls into the
socket library and the native core; by servers that each do one thing more, by turns; writes
bench/results/request.{md,json}

  --connections N   of the closed loop (default 64)
  --runs N          turns (default 9)
  --seconds N       length of one measurement (default 0.5)
  --access NAME     only dev, hosted or "hosted, key"; may be repeated
  --no-time         only bytes and calls, which do not need a quiet machine`
