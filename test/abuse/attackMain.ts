import type { AttackTarget } from './attack.ts'
import { attackOf } from './scenes.ts'

/**
 * Runs one attack until its standard input ends, then prints what was seen. A process of its own, so that it can have
 * less of the processor than those that are measured.
 */
const [name = '', target = '{}'] = process.argv.slice(2)
const running = attackOf(name).start(JSON.parse(target) as AttackTarget)
process.stdin.resume().once('end', () => {
  const summary = running.summary()
  running.stop()
  process.stdout.write(summary, () => process.exit(0))
})
