import t from 'tap'
import { startNode } from '../support/nodeProcess.ts'
import { faultOfLog, stillAnswers } from './aftermath.ts'
import { Chance } from './chance.ts'
import { faultOfAnswer } from './checkAnswer.ts'
import { faultOfMemory, faultOfSize, type MemorySample, memoryTrends } from './memoryTrend.ts'
import { mutatedText } from './mutateJson.ts'
import { fuzz } from './run.ts'

/** `npm run ts -- test/fuzz/main.ts --requests 1000000` is the long form. */
const REQUESTS = 4000

t.test('malformed and odd requests are all answered, and the node goes on as before', async (t) => {
  const node = await startNode({ dataDir: t.testdir(), args: ['--log-format', 'json'] })
  t.teardown(() => node.stop())
  const seed = Number(process.env['FUZZ_SEED'] ?? Date.now() % 1_000_000)
  t.comment(`FUZZ_SEED=${seed}`)
  const report = await fuzz({ node, seed, requests: REQUESTS, clients: 6 })
  t.same(report.faults, [])
  t.equal(report.http + report.frames + report.raw, REQUESTS)
  t.ok(report.frames > 0 && report.raw > 0)
  // Seconds are too short for a trend: the collector lets the heap grow as it likes.
  t.equal(faultOfSize(report.memory), null)
  t.equal(await stillAnswers(node), null)
  t.equal(faultOfLog(node.output()), null)
})

t.test('what is generated depends on the seed alone', async (t) => {
  const generate = (seed: number) => mutatedText(new Chance(seed), [{ a: ['0x1', 'latest'] }, 7], 0.5)
  t.equal(generate(5), generate(5))
  t.not(generate(5), generate(6))
})

t.test('a leak is seen, noise and warm-up are not', async (t) => {
  const MIB = 1024 * 1024
  const samples = (own: (share: number, index: number) => number, heap: (share: number) => number) =>
    Array.from({ length: 200 }, (_, index): MemorySample => {
      const mib = own(index / 200, index)
      return { requests: index * 5000, resident: mib * MIB, own: mib * MIB, heap: heap(index / 200) * MIB }
    })
  const flat = () => 30
  const warming = (share: number) => 100 + 150 * Math.min(1, share * 5)
  const noise = (index: number) => (index % 17 === 0 ? 300 : ((index * 37) % 11) * 4)
  t.equal(faultOfMemory(samples((share, index) => warming(share) + noise(index), flat)), null)
  t.match(
    faultOfMemory(samples((share, index) => 200 + 200 * share + noise(index), flat)),
    /^memory grows: own/,
  )
  t.match(faultOfMemory(samples(warming, (share) => 30 + 40 * share)), /^memory grows: heap/)
  t.match(
    faultOfMemory(samples((_, index) => (index === 3 ? 1600 : 100), flat)),
    /over its bound: 1600.0 MiB/,
  )
  const [, own] = memoryTrends(samples((share) => 100 + 100 * share, flat))
  t.equal(own?.slope.toFixed(1), ((100 * MIB) / 1_000_000).toFixed(1))
})

t.test('faults of answers are seen', async (t) => {
  const asked = Buffer.from('{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}')
  const fault = (text: string, status = 200) => faultOfAnswer(asked, status, text)
  t.equal(fault('{"jsonrpc":"2.0","id":1,"result":"0x21"}'), null)
  t.equal(fault('{"jsonrpc":"2.0","id":1,"result":"0x21"}', 500), 'HTTP status 500')
  t.equal(fault(''), 'empty answer')
  t.equal(fault('<html>'), 'answer is no JSON')
  t.equal(fault('{"jsonrpc":"2.0","id":2,"result":"0x21"}'), 'answer with another id')
  t.equal(fault('{"jsonrpc":"2.0","id":1}'), 'not one of result and error')
  const failed = (message: string, code: number) =>
    fault(JSON.stringify({ jsonrpc: '2.0', id: 1, error: { code, message } }))
  t.equal(failed('no', -32000), null)
  t.equal(failed('no', -32603), 'internal error: no')
  t.match(failed('TypeError: x', -32000), /shows the inside/)
  t.match(failed('at run (file.ts:3)', -32000), /shows the inside/)
})
