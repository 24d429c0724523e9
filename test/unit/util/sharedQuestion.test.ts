import t from 'tap'
import { SharedQuestion } from '../../../src/util/sharedQuestion.ts'

t.test('nobody gets the answer to a question that was sent before', async (t) => {
  const answers: ((value: number) => void)[] = []
  const question = new SharedQuestion(() => new Promise<number>((resolve) => answers.push(resolve)))
  const first = question.ask()
  const second = question.ask()
  const third = question.ask()
  t.equal(answers.length, 1, 'one is under way')
  answers[0]?.(1)
  t.equal(await first, 1)
  await new Promise((resolve) => setImmediate(resolve))
  t.equal(answers.length, 2, 'one for both who waited')
  const fourth = question.ask()
  answers[1]?.(2)
  t.same(await Promise.all([second, third]), [2, 2])
  await new Promise((resolve) => setImmediate(resolve))
  answers[2]?.(3)
  t.equal(await fourth, 3)
  const fifth = question.ask()
  t.equal(answers.length, 4, 'sent at once when none is under way')
  answers[3]?.(4)
  t.equal(await fifth, 4)
})

t.test('a question that fails fails for those who asked it, and the next one is sent', async (t) => {
  let asked = 0
  const question = new SharedQuestion(async () => {
    asked += 1
    if (asked === 1) throw new Error('no answer')
    return asked
  })
  const first = question.ask()
  const second = question.ask()
  await t.rejects(first, { message: 'no answer' })
  t.equal(await second, 2)
})
