import { parseArgs } from 'node:util'
import { soak } from './soak.ts'

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '60' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 2 ** 32)) },
    comers: { type: 'string', default: '2' },
    blocks: { type: 'string', default: '1000' },
  },
})
const options = {
  minutes: Number(values.minutes),
  seed: Number(values.seed),
  comers: Number(values.comers),
  blocks: Number(values.blocks),
}
console.log(`seed ${options.seed}, ${options.minutes} minutes`)
const verdict = await soak({
  ...options,
  onSample: (sample) =>
    console.log(
      `${sample.seconds} s: ${sample.ownMiB} MiB, ${sample.descriptors} descriptors, ${sample.threads} threads, ` +
        `${sample.peers} peers, height ${sample.height}, ${sample.visits} visits, ${sample.processorSeconds} s of processor`,
    ),
})
const change = ([before, last]: readonly [number, number]) => `${before} -> ${last}`
console.log(
  `third and last quarter, medians: ${change(verdict.ownMiB)} MiB, ${change(verdict.descriptors)} descriptors, ` +
    `${change(verdict.threads)} threads: ${verdict.grows ? 'IT GROWS' : 'no growth'}`,
)
process.exitCode = verdict.grows ? 1 : 0
