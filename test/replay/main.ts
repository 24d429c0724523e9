import { replayRecording } from './recording.ts'
import type { ReplayReport } from './run.ts'

/** Differences shown in full. */
const SHOWN = Number(process.env['REPLAY_SHOWN'] ?? 40)
const SHOWN_CHARACTERS = 400

const [chainPath, rpcPath] = process.argv.slice(2)
if (chainPath === undefined || rpcPath === undefined) {
  process.stderr.write('usage: npm run replay -- CHAIN.jsonl|none RPC.jsonl\n')
  process.exit(2)
}

const report = await replayRecording(
  { chainPath: chainPath === 'none' ? null : chainPath, rpcPath },
  (method, error) =>
    process.stderr.write(`${method}: ${error instanceof Error ? error.stack : String(error)}\n`),
)
process.stdout.write(format(report))
process.exitCode = report.unlisted.length === 0 ? 0 : 1

/** One line per method, then the first unlisted differences with both answers. */
function format({ methods, unlisted }: ReplayReport): string {
  const lines = [...methods]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(
      ([name, { equal, listed, unlisted: other, skipped }]) =>
        `${name}: ${equal} equal, ${listed} listed, ${other} unlisted, ${skipped} not replayed`,
    )
  for (const { exchange, verdict } of unlisted.slice(0, SHOWN)) {
    if (verdict.kind !== 'unlisted') continue
    lines.push(
      `  ${exchange.step} ${exchange.note}: ${JSON.stringify(exchange.request).slice(0, SHOWN_CHARACTERS)}`,
      `    expected ${verdict.expected.slice(0, SHOWN_CHARACTERS)}`,
      `    found    ${verdict.found.slice(0, SHOWN_CHARACTERS)}`,
    )
  }
  const total = [...methods.values()].reduce(
    (sum, tally) => ({
      equal: sum.equal + tally.equal,
      listed: sum.listed + tally.listed,
      unlisted: sum.unlisted + tally.unlisted,
      skipped: sum.skipped + tally.skipped,
    }),
    { equal: 0, listed: 0, unlisted: 0, skipped: 0 },
  )
  lines.push(
    `${total.equal} equal, ${total.listed} listed, ${total.unlisted} unlisted, ${total.skipped} not replayed`,
  )
  return `${lines.join('\n')}\n`
}
