import t from 'tap'
import { BatchCollector } from '../../../src/gateway/collector.ts'
import { PagedAnswer } from '../../../src/gateway/pagedAnswer.ts'
import type { AnswerSink } from '../../../src/gateway/ticket.ts'
import { PAGE_STATUS } from '../../../src/rpc/execute.ts'

const MOST_BYTES = 1000
/** Memory in which every answer comes, as from a worker. */
const memory = Buffer.alloc(MOST_BYTES)

function written(text: string): Uint8Array {
  return memory.subarray(0, memory.write(text))
}

t.test('answers of a batch stay what they were when the next ones take their memory', (t) => {
  let answer: string | Uint8Array = ''
  const collector = new BatchCollector(
    MOST_BYTES,
    () => 'too large',
    (body) => {
      answer = body
    },
  )
  const [first, second] = [collector.slot(), collector.slot()]
  collector.end()
  second(written('"later"'), 200)
  first(written('"earlier"'), 200)
  t.equal(Buffer.from(answer).toString(), '["earlier","later"]')
  t.end()
})

t.test('pages that are put together stay what they were, too', (t) => {
  let answer: string | Uint8Array = ''
  const asked: { readonly next: string; readonly sink: AnswerSink }[] = []
  const paged = new PagedAnswer({
    id: '7',
    exchange: { answer: () => undefined, onGone: undefined, gone: false },
    alone: false,
    maxBytes: MOST_BYTES,
    sink: (body) => {
      answer = body
    },
    onStreamed: () => undefined,
    ask: (next, sink) => asked.push({ next, sink }),
  })
  paged.begin(written('{"from":2}\n{"log":1}'))
  t.equal(asked[0]?.next, '{"from":2}')
  asked[0]?.sink(written('{"from":3}\n{"log":2}'), PAGE_STATUS)
  asked[1]?.sink(written('{"jsonrpc":"2.0","id":0,"result":[{"log":3}]}'), 200)
  t.same(JSON.parse(Buffer.from(answer).toString()), {
    jsonrpc: '2.0',
    id: 7,
    result: [{ log: 1 }, { log: 2 }, { log: 3 }],
  })
  t.end()
})
