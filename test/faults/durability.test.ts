import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { privateKeyToAccount } from 'viem/accounts'
import { COW_KEY, REGTEST_CHAIN_ID } from '../support/accounts.ts'
import { startCommand } from '../support/cli.ts'
import { startNode } from '../support/nodeProcess.ts'
import { unpackedVector } from '../support/vectors.ts'
import { judgeFlushes } from './flushOrder.ts'
import { parseTrace, traceArguments } from './syscallTrace.ts'

const TRANSACTIONS = 5

const isStoreFile = (path: string): boolean => /\/(data\.mdb|pool\.journal)$/.test(path)
const withoutFlushes = (trace: string): string =>
  trace
    .split('\n')
    .filter((line) => !/\bf(data)?sync\b/.test(line))
    .join('\n')

// kill -9 keeps the page cache, so only the system calls show whether a power cut would lose anything.
const canTrace = spawnSync('strace', ['-f', '--seccomp-bpf', 'true']).status === 0
const skip = canTrace ? false : 'strace is not installed or may not trace here (Debian package strace)'

t.test('a write that is not flushed before its acknowledgement is found', (t) => {
  const lines = [
    '7 openat(AT_FDCWD</>, "/d/data.mdb", O_RDWR|O_CREAT, 0600) = 20</d/data.mdb>',
    '7 openat(AT_FDCWD</>, "/d/data.mdb", O_WRONLY|O_DSYNC|O_CLOEXEC) = 21</d/data.mdb>',
    '7 pwrite64(20</d/data.mdb>, "page", 4096, 8192 <unfinished ...>',
    '8 fdatasync(20</d/data.mdb>) = 0',
    '7 <... pwrite64 resumed>) = 4096',
    '9 fdatasync(20</d/data.mdb> <unfinished ...>',
    '9 <... fdatasync resumed>) = 0',
    '7 pwrite64(21</d/data.mdb>, "meta", 64, 0) = 64',
    '8 sendto(30<TCP:[127.0.0.1:1->127.0.0.1:2]>, "done", 4, MSG_NOSIGNAL, NULL, 0) = 4',
  ]
  const judge = (kept: readonly string[]) => judgeFlushes(parseTrace(kept.join('\n')), isStoreFile, ['done'])
  t.same(judge(lines), { acknowledgements: 1, writes: 2, faults: [] })
  const flushedTooEarly = lines.filter((line) => !line.startsWith('9'))
  t.equal(judge(flushedTooEarly).faults.length, 1, 'a flush that began before the write was over')
  const acknowledgedTooEarly = [...lines.slice(0, 6), ...lines.slice(8), ...lines.slice(6, 8)]
  t.equal(judge(acknowledgedTooEarly).faults.length, 1, 'an acknowledgement before the flush was over')
  const unsynced = lines.map((line) => line.replace('O_DSYNC|', ''))
  t.equal(judge(unsynced).faults.length, 1, 'a meta page without a flush')
  t.end()
})

t.test('what an import reports is on disk', { skip }, async (t) => {
  const folder = t.testdir()
  const trace = join(folder, 'trace')
  const file = unpackedVector('rpc/chain-main.jsonl')
  const args = ['import', '--data-dir', join(folder, 'data'), '--commit-every', '8', file]
  const result = await startCommand(args, traceArguments(trace)).done
  t.equal(result.code, 0, result.stderr)
  const text = readFileSync(trace, 'utf8')
  const report = judgeFlushes(parseTrace(text), isStoreFile, ['blocks and '])
  t.equal(report.acknowledgements, 1)
  t.ok(report.writes > 0, `${report.writes} writes`)
  t.same(report.faults, [])
  const doctored = judgeFlushes(parseTrace(withoutFlushes(text)), isStoreFile, ['blocks and '])
  t.equal(doctored.faults.length, 1, 'the same trace without its flushes is found out')
})

for (const [name, options] of [
  ['mined at once', []],
  ['waiting for its block', ['--block-time', '600']],
] as const) {
  t.test(`a transaction whose hash was answered is on disk, ${name}`, { skip }, (t) => traceSends(t, options))
}

async function traceSends(t: Test, args: readonly string[]): Promise<void> {
  const folder = t.testdir()
  const trace = join(folder, 'trace')
  const node = await startNode({ dataDir: join(folder, 'data'), args, under: traceArguments(trace) })
  const account = privateKeyToAccount(COW_KEY)
  const hashes: string[] = []
  for (let nonce = 0; nonce < TRANSACTIONS; nonce++) {
    const raw = await account.signTransaction({
      type: 'legacy',
      chainId: REGTEST_CHAIN_ID,
      nonce,
      gas: 21_000n,
      gasPrice: 1n,
      to: account.address,
      value: 1n,
    })
    hashes.push(await node.request<string>('eth_sendRawTransaction', [raw]))
  }
  await node.stop('SIGTERM')
  const text = readFileSync(trace, 'utf8')
  const report = judgeFlushes(parseTrace(text), isStoreFile, hashes)
  t.equal(report.acknowledgements, TRANSACTIONS)
  t.ok(report.writes > 0, `${report.writes} writes`)
  t.same(report.faults, [])
  t.ok(judgeFlushes(parseTrace(withoutFlushes(text)), isStoreFile, hashes).faults.length > 0)
}
