import t from 'tap'
import { createReadiness, type ReadinessSources } from '../../../src/node/readiness.ts'

const FINE: ReadinessSources = {
  headAge: () => 5,
  maxHeadAge: () => 60,
  storeFault: () => null,
  accessFault: () => null,
  peerReasons: () => [],
  writeProbe: async () => undefined,
  poolPing: async () => undefined,
}

t.test('a node is ready until something says otherwise, with the reason', async (t) => {
  t.same(await createReadiness(FINE).reasons(), [])
  t.same(await createReadiness({ ...FINE, headAge: () => 61 }).reasons(), [
    'the head is 61 s old, more than 60 s',
  ])
  t.same(await createReadiness({ ...FINE, headAge: () => 1e6, maxHeadAge: () => 0 }).reasons(), [])
  const writeProbe = () => Promise.reject(new Error('no space left'))
  t.same(await createReadiness({ ...FINE, writeProbe }).reasons(), [
    'the store takes no writes: no space left',
  ])
  const stopping = createReadiness(FINE)
  stopping.drain()
  t.same(await stopping.reasons(), ['the node stops'])
})

t.test('it recovers, and asks no more often than every two seconds', async (t) => {
  let time = 0
  let asked = 0
  let fails = true
  const writeProbe = async () => {
    asked += 1
    if (fails) throw new Error('no space left')
  }
  const readiness = createReadiness({ ...FINE, writeProbe }, () => time)
  t.equal((await readiness.reasons()).length, 1)
  fails = false
  t.equal((await readiness.reasons()).length, 1, 'the last answer still counts')
  t.equal(asked, 1)
  time += 2500
  t.same(await readiness.reasons(), [])
  t.equal(asked, 2)
})

t.test('workers that are busy are waited for, silent ones are not', async (t) => {
  let time = 0
  const readiness = createReadiness({ ...FINE, poolPing: () => new Promise(() => undefined) }, () => time)
  t.same(await readiness.reasons(), [])
  time += 11_000
  t.same(await readiness.reasons(), ['the workers do not answer: nothing for 11 s'])
})
