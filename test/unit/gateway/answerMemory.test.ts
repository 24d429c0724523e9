import t from 'tap'
import { unlimitedCaller } from '../../../src/gateway/access/caller.ts'
import { BatchCollector } from '../../../src/gateway/collector.ts'
import { PagedAnswer } from '../../../src/gateway/pagedAnswer.ts'
import type { AnswerSink } from '../../../src/gateway/scheduler/ticket.ts'
import { RpcError } from '../../../src/rpc/errors.ts'
import { PAGE_STATUS } from '../../../src/rpc/execute.ts'

const MAX_BYTES = 1000
/** Memory in which every answer comes, as from a worker. */
const memory = Buffer.alloc(MAX_BYTES)

function written(text: string): Uint8Array {
  return memory.subarray(0, memory.write(text))
}

t.test('answers of a batch stay what they were when the next ones take their memory', (t) => {
  let answer: string | Uint8Array = ''
  const collector = new BatchCollector(
    MAX_BYTES,
    () => 'too large',
    { hold: () => true, refusal: () => new RpcError('limited') },
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
    exchange: { caller: unlimitedCaller('anybody'), answer: () => undefined, onGone: undefined, gone: false },
    alone: false,
    maxBytes: MAX_BYTES,
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

t.test('what was sent page by page is told with its bytes, those of a broken answer, too', (t) => {
  const told: [isWhole: boolean, bytes: number][] = []
  for (const last of [
    '{"jsonrpc":"2.0","id":0,"result":[{"log":2}]}',
    '{"jsonrpc":"2.0","id":0,"error":{}}',
  ]) {
    const sent: Uint8Array[] = []
    const send = (...pieces: readonly Uint8Array[]) => {
      sent.push(...pieces.map((piece) => Uint8Array.from(piece)))
      return true
    }
    const paged = new PagedAnswer({
      id: '7',
      exchange: {
        caller: unlimitedCaller('anybody'),
        answer: () => undefined,
        beginStream: () => ({ write: send, end: send, abort: () => undefined, onWritable: undefined }),
        onGone: undefined,
        gone: false,
      },
      alone: true,
      maxBytes: MAX_BYTES,
      sink: () => t.fail('it has its stream'),
      onStreamed: (...note) => told.push(note),
      ask: (_, sink) => sink(written(last), 200),
    })
    paged.begin(written('{"from":2}\n{"log":1}'))
    t.equal(told.at(-1)?.[1], Buffer.concat(sent).length)
  }
  t.same(
    told.map(([isWhole]) => isWhole),
    [true, false],
  )
  t.end()
})
