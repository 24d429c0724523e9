import { parseArgs } from 'node:util'
import { runTarget } from './runTarget.ts'
import { FUZZ_TARGETS } from './targets.ts'

// npm run --silent ts -- test/fuzz/codecs/main.ts --target header --seconds 600
const { values } = parseArgs({
  options: {
    target: { type: 'string' },
    seconds: { type: 'string', default: '600' },
    executions: { type: 'string', default: String(Number.MAX_SAFE_INTEGER) },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  },
})
const names = values.target === undefined ? Object.keys(FUZZ_TARGETS) : [values.target]
for (const name of names) {
  const target = FUZZ_TARGETS[name]
  if (target === undefined) {
    console.error(`no target ${name}: one of ${Object.keys(FUZZ_TARGETS).join(', ')}`)
    process.exit(2)
  }
  const { executions, taken, seconds, slowest, fault } = runTarget(target(), {
    seed: Number(values.seed),
    seconds: Number(values.seconds),
    executions: Number(values.executions),
  })
  console.log(
    `${name}, seed ${values.seed}: ${executions} inputs in ${Math.round(seconds)} s, ${taken} of them taken, ` +
      `slowest ${slowest.toFixed(1)} ms: ${fault === null ? 'no fault' : 'FAULT'}`,
  )
  if (fault === null) continue
  console.log(fault.input.toString('hex'))
  console.log(fault.error)
  process.exitCode = 1
}
