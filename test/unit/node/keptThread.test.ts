import t, { type Test } from 'tap'
import { KeptThread } from '../../../src/node/keptThread.ts'
import { createLogger } from '../../../src/observe/logger.ts'
import type { KeptThreadEcho, KeptThreadFate } from '../../support/keptThreadEntry.ts'
import { until } from '../../support/syncScene.ts'

function openThread(t: Test, fates: KeptThreadFate[]) {
  const heard: string[] = []
  const thread = new KeptThread<string, KeptThreadEcho>({
    kind: {
      entry: new URL('../../support/keptThreadEntry.ts', import.meta.url),
      name: 'test',
      title: 'the test thread',
      code: 'PEER_THREAD',
      patience: 1000,
      firstPause: 1,
      longestPause: 4,
      longLife: 600_000,
    },
    log: createLogger({ level: 'silent', format: 'json' }),
    begin: () => ({
      data: fates.shift() ?? 'works',
      ports: [],
      onMessage: ({ text }) => heard.push(`echo ${String(text)}`),
      onGone: () => heard.push('gone'),
    }),
    onReady: (value) => heard.push(value),
    onFailed: ({ code, message }) => heard.push(`${code} ${message}`),
  })
  t.teardown(() => thread.close())
  return { thread, heard }
}

t.test('one that fails is started again, whatever it fails of', async (t) => {
  const { thread, heard } = openThread(t, [])
  await thread.start()
  thread.post({ kind: 'a' })
  await until(() => heard.length === 2)
  thread.post({ kind: 'throw' })
  await until(() => heard.length === 5)
  t.same(heard, [
    'works',
    'echo a',
    'gone',
    'PEER_THREAD the test thread failed: Error: thrown later',
    'works',
  ])
  thread.post({ kind: 'exit' })
  await until(() => heard.length === 8)
  t.same(heard.slice(5), ['gone', 'PEER_THREAD the test thread ended with code 7', 'works'])
  t.equal(thread.restarts, 2)
})

t.test('one that does not start says so, or is tried again', async (t) => {
  const refusing = openThread(t, ['refuses', 'throws', 'refuses', 'works'])
  await t.rejects(refusing.thread.start(), { code: 'PEERS', message: 'refused' })
  t.same(refusing.heard, ['gone'])
  await refusing.thread.keepStarting()
  await until(() => refusing.heard.includes('works'))
  t.match(refusing.heard.slice(1), ['gone', /thrown at the start/, 'gone', 'PEERS refused', 'works'])
  t.equal(refusing.thread.restarts, 2)
})

t.test('one that is closed is not started again', async (t) => {
  const { thread, heard } = openThread(t, [])
  await thread.start()
  await thread.close()
  t.same(heard, ['works', 'gone'])
  thread.post({ kind: 'a' })
  t.equal(thread.restarts, 0)
})
