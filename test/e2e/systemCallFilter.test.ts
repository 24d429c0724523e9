import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { startCommand } from '../support/cli.ts'
import { startNode } from '../support/nodeProcess.ts'
import { allowedCalls, FILTER_SKIP, underFilter } from '../support/systemCallFilter.ts'
import { testFolder } from '../support/testFolder.ts'

const unit = readFileSync(new URL('../../.deploy/systemd/rhizome.service', import.meta.url), 'utf8')
const under = underFilter(allowedCalls(unit))
/** The same without what the unit allows beside the groups, as a stricter sandbox would have it. */
const strict = new Set(allowedCalls(unit))
strict.delete('setpriority')

/** The niceness of each thread of a process. */
function nicenesses(pid: number): number[] {
  return readdirSync(`/proc/${pid}/task`).map((thread) => {
    const text = readFileSync(`/proc/${pid}/task/${thread}/stat`, 'utf8')
    // proc(5): the 19th field, the 17th behind the name, which may have blanks.
    return Number(text.slice(text.lastIndexOf(')') + 2).split(' ')[16])
  })
}

t.test('what the unit allows is what the node calls', { skip: FILTER_SKIP }, async (t) => {
  const dataDir = join(testFolder(t), 'data')
  const node = await startNode({
    dataDir,
    under,
    args: ['--log-format', 'json', '--peers', '--p2p-port', '0'],
  })
  t.teardown(() => node.stop('SIGKILL'))
  await node.request('evm_mine', [])
  await node.request('debug_traceBlockByNumber', ['0x1'])
  t.ok(
    nicenesses(node.pid).some((niceness) => niceness > 0),
    'long requests are at a lower priority',
  )

  const created = await startCommand(
    [
      'snapshot',
      'create',
      '--depth',
      '0',
      '--data-dir',
      dataDir,
      '--output',
      join(testFolder(t), 'snapshot'),
    ],
    under,
  ).done
  t.equal(created.code, 0)
  t.notMatch(created.stderr, 'priority')
  t.equal((await startCommand(['key', 'create', '--name', 'a', '--data-dir', dataDir], under).done).code, 0)
  const ended = await node.stop()
  t.equal(ended.code, 0)
  t.notMatch(ended.stderr, /EPERM|priority/)
  t.equal((await startCommand(['check', '--full', '--data-dir', dataDir], under).done).code, 0)
})

t.test(
  'a sandbox that forbids a lower priority is named and changes nothing else',
  { skip: FILTER_SKIP },
  async (t) => {
    const dataDir = join(testFolder(t), 'data')
    const node = await startNode({ dataDir, under: underFilter(strict), args: ['--log-format', 'json'] })
    t.teardown(() => node.stop('SIGKILL'))
    await node.request('evm_mine', [])
    await node.request('debug_traceBlockByNumber', ['0x1'])
    const output = join(testFolder(t), 'snapshot')
    const created = await startCommand(
      ['snapshot', 'create', '--depth', '0', '--data-dir', dataDir, '--output', output],
      underFilter(strict),
    ).done
    t.equal(created.code, 0)
    t.match(created.stderr, 'the system refuses a lower priority than that of the node')
    const ended = await node.stop()
    t.equal(ended.code, 0)
    t.match(ended.stderr, 'the system refuses a lower priority for long requests')
  },
)
