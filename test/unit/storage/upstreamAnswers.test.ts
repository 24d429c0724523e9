import t from 'tap'
import { UpstreamAnswers } from '../../../src/storage/upstreamAnswers.ts'
import { testFolder } from '../../support/testFolder.ts'

const key = (number: number) => Buffer.from(`key ${number}`.padEnd(60))

t.test('answers outlive the process, and are there for others at once', async (t) => {
  const folder = testFolder(t)
  const answers = new UpstreamAnswers(folder, 1 << 20)
  t.equal(answers.get(key(1)), undefined)
  answers.put(key(1), Buffer.from('one'))
  answers.put(key(2), Buffer.alloc(0))
  answers.flush()
  const { bytes } = answers
  answers.put(key(1), Buffer.from('one again'))
  answers.flush()
  t.equal(answers.bytes, bytes, 'what is there is not counted twice')
  t.same(answers.get(key(1)), Buffer.from('one'))
  t.same(answers.get(key(2)), Buffer.alloc(0), 'nothing is an answer')
  await answers.close()
  const again = new UpstreamAnswers(folder, 1 << 20)
  t.same(again.get(key(1)), Buffer.from('one'))
  t.equal(again.bytes, bytes)
  await again.close()
})

t.test('above the bound what came first goes first', async (t) => {
  const limit = 64 * 1024
  const answers = new UpstreamAnswers(testFolder(t), limit)
  for (let number = 0; number < 1000; number += 1) {
    answers.put(key(number), Buffer.alloc(200, number))
    answers.flush()
    t.ok(answers.bytes <= limit)
  }
  t.equal(answers.get(key(0)), undefined)
  t.same(answers.get(key(999)), Buffer.alloc(200, 999))
  const kept = Array.from({ length: 1000 }, (_, number) => answers.get(key(number)) !== undefined)
  t.equal(kept.indexOf(true), kept.lastIndexOf(false) + 1, 'the newest are there')
  t.ok(kept.filter(Boolean).length > 100)
  await answers.close()
})
