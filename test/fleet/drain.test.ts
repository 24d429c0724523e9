import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { startCommand } from '../support/cli.ts'
import { NATS_SKIP } from '../support/natsServer.ts'
import { TestBuild } from '../support/testBuild.ts'
import { askPatiently } from './cluster/askPatiently.ts'
import type { MemberProcess } from './cluster/memberProcess.ts'
import { fleetArguments, TestFleet } from './cluster/testFleet.ts'
import { until } from './cluster/until.ts'

const READY_MS = 60_000
/** Seconds for which a member that was told to stop serves. */
const DELAY = 4
/** Answers of a member that stops, that much apart: well within its delay, and longer than leaving takes. */
const ANSWERS = 5
const ANSWER_MS = 300

t.test(
  'a leader that is drained hands over its filters and the lead, and goes on running',
  { skip: NATS_SKIP, timeout: 600_000 },
  async (t) => {
    const build = await TestBuild.create()
    t.teardown(() => rmSync(build.folder, { recursive: true, force: true }))
    const program = join(build.folder, 'dist/cli/main.js')
    const fleet = await TestFleet.start({
      folder: t.testdir(),
      members: 2,
      servers: 1,
      program,
      args: ['--block-time', '1', '--drain-delay', String(DELAY)],
    })
    t.teardown(() => fleet.close())
    const [drained, other] = fleet.members as [MemberProcess, MemberProcess]
    const { servers } = fleet
    if (servers === null) throw new Error('no servers')
    t.ok(await leads(drained), 'the first member leads')
    const filter = await askPatiently<string>(drained.url, 'eth_newBlockFilter', [])

    const words = ['fleet', 'drain', 'm0', ...fleetArguments(servers)]
    const { code, stdout, stderr } = await startCommand(words, [], [program]).done
    t.equal(code, 0, stderr)
    t.match(stdout, /^m0 \([0-9a-f]{16}\) has left the fleet$/m)

    const response = await fetch(new URL('/ready', drained.origin))
    t.equal(response.status, 503)
    t.match(await response.text(), 'fleet:')
    await t.rejects(blockNumber(drained), { code: -32_000, message: /leaves its fleet/ })
    await until('the other leads', () => leads(other))
    const before = Number(await askPatiently<string>(other.url, 'eth_blockNumber', []))
    await until(
      'it makes blocks',
      async () => Number(await askPatiently<string>(other.url, 'eth_blockNumber', [])) > before + 1,
    )
    const hashes = await askPatiently<string[]>(other.url, 'eth_getFilterChanges', [filter])
    t.ok(hashes.length > 0, 'the filter goes on at the other member')

    const again = await startCommand(words, [], [program]).done
    t.equal(again.code, 0, again.stderr)

    await drained.end('SIGTERM')
    await drained.start()
    await drained.untilReady(READY_MS)
    t.pass('it serves again after a restart')

    const wrong = await startCommand(['fleet', 'drain', 'm7', ...fleetArguments(servers)], [], [program]).done
    t.match(wrong.stderr, 'no member m7; there are: m0, m1')
    t.equal(wrong.code, 1)

    const { pid } = drained
    process.kill(pid, 'SIGTERM')
    await until('it is not ready', async () => !(await drained.isReady()))
    for (let answer = 0; answer < ANSWERS; answer += 1) {
      t.equal(typeof (await blockNumber(drained)), 'string', 'it serves until the delay is over')
      await sleep(ANSWER_MS)
    }
    await until('it leaves', () =>
      blockNumber(drained).then(
        () => false,
        () => true,
      ),
    )
    await until('it ends', async () => !isAlive(pid))
  },
)

/** @throws Error when it has not answered with a block number. */
async function blockNumber(member: MemberProcess): Promise<string> {
  const answer = await fetch(member.url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"jsonrpc":"2.0","id":1,"method":"eth_blockNumber","params":[]}',
  })
  const { result, error } = (await answer.json()) as {
    result: string
    error?: { code: number; message: string }
  }
  if (error !== undefined) throw Object.assign(new Error(error.message), { code: error.code })
  return result
}

async function leads(member: MemberProcess): Promise<boolean> {
  const metrics = await (await fetch(new URL('/metrics', member.origin))).text()
  return /fleet_leader_info 1/.test(metrics)
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
