import { join } from 'node:path'
import t from 'tap'
import { readExchanges, requestText } from '../replay/exchanges.ts'
import { isReplayable } from '../replay/run.ts'
import { runCommand } from '../support/cli.ts'
import { type NodeProcess, startNode } from '../support/nodeProcess.ts'
import { importRecordedChain } from '../support/recordedDataDir.ts'
import { vectorPath } from '../support/vectors.ts'

/** Reads that are asked for at the same time. */
const AT_ONCE = 20
const NODE = ['--workers', '1', '--no-mining', '--modules', '*']

t.test('a restored node answers recorded reads as the node that the snapshot is of', async (t) => {
  const folder = t.testdir({ source: {} })
  const sourceDir = join(folder, 'source')
  await importRecordedChain(sourceDir)
  const source = await startNode({ dataDir: sourceDir, args: NODE })
  t.teardown(() => source.stop('SIGKILL'))
  const restored: Record<string, NodeProcess> = {}
  for (const [name, ...words] of [['head'], ['full', '--full']]) {
    if (name === undefined) continue
    const snapshot = join(folder, `snapshot-${name}`)
    const dataDir = join(folder, name)
    // The node of the source runs meanwhile.
    await run('create', '--data-dir', sourceDir, '--output', snapshot, '--depth', '0', ...words)
    await run('restore', snapshot, '--unsigned', '--data-dir', dataDir)
    const node = await startNode({ dataDir, args: NODE })
    t.teardown(() => node.stop('SIGKILL'))
    restored[name] = node
  }
  const always = { supports: () => true, at: () => null }
  const texts = readExchanges(vectorPath('rpc/rpc-main.jsonl'))
    .filter((exchange) => isReplayable(exchange, always))
    .flatMap((exchange) => requestText(exchange) ?? [])
  const tally = { same: 0, withoutState: 0 }
  const differences: unknown[] = []
  const compare = async (text: string): Promise<void> => {
    const [expected, full, head] = await Promise.all(
      [source, restored['full'], restored['head']].map((node) => ask(node, text)),
    )
    if (full !== expected) differences.push({ text, expected, full })
    if (head === expected) tally.same += 1
    else if (isWithoutState(head)) tally.withoutState += 1
    else differences.push({ text, expected, head })
  }
  for (let start = 0; start < texts.length; start += AT_ONCE) {
    await Promise.all(texts.slice(start, start + AT_ONCE).map(compare))
  }
  t.same(differences, [])
  t.ok(texts.length > 1000, `${texts.length} reads`)
  t.ok(tally.same > 600 && tally.withoutState > 20, JSON.stringify(tally))
})

async function run(...words: string[]): Promise<void> {
  const { code, stderr } = await runCommand(['snapshot', ...words])
  if (code !== 0) throw new Error(stderr)
}

async function ask(node: NodeProcess | undefined, body: string): Promise<string> {
  if (node === undefined) throw new Error('no node')
  const response = await fetch(node.url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  })
  return `${response.status} ${await response.text()}`
}

/** Whether the answer says that a state is not kept. */
function isWithoutState(answer = ''): boolean {
  return /"code":4444,"message":"pruned history unavailable: .*this node keeps states from block 66"/.test(
    answer,
  )
}
