import t from 'tap'
import { WorkerEnd } from '../../../src/workers/workerEnd.ts'

t.test('whoever listens is told once, with the reason', (t) => {
  const end = new WorkerEnd()
  const heard: (string | null)[] = []
  end.addEventListener('abort', () => heard.push(end.reason))
  t.equal(end.aborted, false)
  end.abort('frozen')
  end.abort('again')
  t.same(heard, ['frozen'])
  t.equal(end.aborted, true)
  t.equal(end.reason, 'frozen')
  t.end()
})

t.test('who has left is not told; another listener stays', (t) => {
  const end = new WorkerEnd()
  let told = 0
  const listener = () => {
    told += 1
  }
  end.addEventListener('abort', listener)
  end.removeEventListener('abort', () => undefined)
  end.removeEventListener('abort', listener)
  end.abort('frozen')
  t.equal(told, 0)
  t.end()
})
