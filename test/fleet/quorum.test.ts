import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { SignerKey } from '../../src/snapshot/blsKeys.ts'
import { writeSignerKey } from '../../src/snapshot/signerKeyFile.ts'
import { startCommand } from '../support/cli.ts'
import { NATS_SKIP } from '../support/natsServer.ts'
import { TestBuild } from '../support/testBuild.ts'
import { askPatiently } from './cluster/askPatiently.ts'
import { MemberProcess } from './cluster/memberProcess.ts'
import { fleetArguments, TestFleet } from './cluster/testFleet.ts'
import { until } from './cluster/until.ts'

const LOOK_MS = 100
/** Looks at a head that is to stand still: two blocks of the leader come meanwhile. */
const STILL_LOOKS = 20
const READY_MS = 60_000
const LEASE_MS = 1500
const PASSPHRASE = 'of a test'
/** No work for scrypt in a test. */
const LITTLE = { n: 2, r: 8, p: 1 }

const KEYS = [1, 2].map((seed) => SignerKey.generate(Buffer.alloc(32, seed)))

interface Status {
  readonly absence: string | null
  readonly waits: { readonly number: string; readonly signatures: string; readonly needed: string } | null
}

t.test(
  'three members, of which two sign, serve only what both have signed',
  { skip: NATS_SKIP, timeout: 300_000 },
  async (t) => {
    const folder = t.testdir()
    const build = await TestBuild.create()
    t.teardown(() => build.remove())
    const program = join(build.folder, 'dist/cli/main.js')
    const fleet = await TestFleet.start({ folder, members: 0, servers: 1, program })
    t.teardown(() => fleet.close())
    const { servers } = fleet
    if (servers === null) throw new Error('no servers')
    const passphrase = join(folder, 'passphrase')
    writeFileSync(passphrase, `${PASSPHRASE}\n`)
    const common = [
      ...['--no-page', '--workers', '1', '--block-time', '1', '--log-level', 'warn'],
      ...[...fleetArguments(servers), '--fleet-lease', String(LEASE_MS)],
      ...[
        '--fleet-quorum',
        '2',
        '--fleet-keys',
        KEYS.map((key) => `${key.publicKey}:${key.prove()}`).join(','),
      ],
    ]
    const members: MemberProcess[] = []
    for (const member of [0, 1, 2]) {
      const key = KEYS[member]
      const file = join(folder, `key-${member}.json`)
      if (key !== undefined) await writeSignerKey(file, key, PASSPHRASE, LITTLE)
      const signs =
        key === undefined ? [] : ['--fleet-signer-key', file, '--fleet-signer-passphrase', passphrase]
      const args = [...common, ...signs, '--fleet-member', `m${member}`]
      const dataDir = join(folder, `data-${member}`)
      const created = await MemberProcess.create({
        member,
        dataDir,
        args,
        program,
        path: () => '',
        clock: null,
      })
      t.teardown(() => created.end('SIGKILL'))
      members.push(created)
    }
    const [first, second, third] = members as [MemberProcess, MemberProcess, MemberProcess]
    const rest = [first, third]

    t.comment('one that signs is not enough')
    await Promise.all(rest.map((member) => member.start()))
    await until('both say what the first head lacks', async () =>
      (await Promise.all(rest.map(reasonsOf))).every((text) =>
        text.includes('block 0 has 1 of 2 signatures'),
      ),
    )
    t.notOk((await Promise.all(rest.map((member) => member.isReady()))).includes(true))

    t.comment('two are')
    await second.start()
    await Promise.all(members.map((member) => member.untilReady(READY_MS)))
    await grows(members)

    t.comment('one of them ends: the head stands still')
    await second.end('SIGKILL')
    await until('both see a block with one signature', async () =>
      (await Promise.all(rest.map(statusOf))).every(({ waits }) => waits?.signatures === '0x1'),
    )
    const { waits } = await statusOf(first)
    t.equal(waits?.needed, '0x2')
    const heads = await Promise.all(rest.map(headOf))
    t.equal(heads[0], heads[1])
    t.equal(Number(waits?.number), (heads[0] ?? 0) + 1)
    for (let look = 0; look < STILL_LOOKS; look += 1) {
      t.same(await Promise.all(rest.map(headOf)), heads)
      const blocks = rest.map((member) => ask(member, 'eth_getBlockByNumber', [waits?.number, false]))
      t.same(await Promise.all(blocks), [null, null], 'the block of the one is not served')
      await sleep(LOOK_MS)
    }
    const said = `wrong: the head stands still: block ${Number(waits?.number)} has 1 of 2 signatures`
    await until('`fleet status` says why', async () => {
      const status = await startCommand(['fleet', 'status', ...fleetArguments(servers)], [], [program]).done
      return status.stdout.includes(said) && status.code === 1
    })
    const metrics = await (await fetch(new URL('/metrics', first.origin))).text()
    t.match(metrics, /^rhizome_fleet_missing_signatures_count 1$/m)

    t.comment('a member without a key starts again: it serves the head that the log has with its signatures')
    await third.end('SIGTERM')
    await third.start()
    await third.untilReady(READY_MS)
    t.equal(await headOf(third), heads[0])

    t.comment('the other one is back: the head goes on')
    await second.start()
    await second.untilReady(READY_MS)
    await grows(members)
    for (const member of members) await member.end('SIGTERM')
  },
)

/** Heads of these members go on. */
async function grows(members: readonly MemberProcess[]): Promise<void> {
  const height = Math.max(...(await Promise.all(members.map(headOf)))) + 2
  for (const member of members)
    await until(`${member.member} has block ${height}`, async () => (await headOf(member)) >= height)
}

function ask<T>(member: MemberProcess, method: string, params: readonly unknown[]): Promise<T> {
  return askPatiently<T>(member.url, method, params)
}

async function headOf(member: MemberProcess): Promise<number> {
  return Number(await ask<string>(member, 'eth_blockNumber', []))
}

function statusOf(member: MemberProcess): Promise<Status> {
  return ask<Status>(member, 'rsk_getFleetStatus', [])
}

async function reasonsOf(member: MemberProcess): Promise<string> {
  return (await fetch(new URL('/ready', member.origin))).text()
}
