import t from 'tap'
import { NO_BUFFER, OutputBuffers } from '../../../src/workers/outputBuffers.ts'

t.test('what a worker writes to a place is read there without a copy', (t) => {
  const buffers = new OutputBuffers(1)
  const place = buffers.take()
  const atWorker = Buffer.from(buffers.buffers[place] ?? new SharedArrayBuffer(0))
  atWorker.write('answers of a batch')
  const read = buffers.read(place, 7)
  t.equal(read.toString(), 'answers')
  atWorker.write('ANSWERS')
  t.equal(read.toString(), 'ANSWERS')
  t.end()
})

t.test('a place has one batch until it is left; without a place there is none', (t) => {
  const buffers = new OutputBuffers(2)
  const taken = buffers.buffers.map(() => buffers.take())
  t.same(new Set(taken).size, buffers.buffers.length)
  t.notOk(taken.includes(NO_BUFFER))
  t.equal(buffers.take(), NO_BUFFER)
  buffers.leave(NO_BUFFER)
  t.equal(buffers.take(), NO_BUFFER)
  buffers.leave(taken[1] ?? NO_BUFFER)
  t.equal(buffers.take(), taken[1])
  t.throws(() => buffers.read(NO_BUFFER, 1), /no buffer/)
  t.end()
})
