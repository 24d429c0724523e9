import t from 'tap'
import { NO_PLACE, OutputBuffer } from '../../../src/workers/outputBuffer.ts'

t.test('what a worker writes to a place is read there without a copy', (t) => {
  const room = new OutputBuffer(1)
  const place = room.take()
  const atWorker = Buffer.from(room.places[place] ?? new SharedArrayBuffer(0))
  atWorker.write('answers of a batch')
  const read = room.read(place, 7)
  t.equal(read.toString(), 'answers')
  atWorker.write('ANSWERS')
  t.equal(read.toString(), 'ANSWERS')
  t.end()
})

t.test('a place has one batch until it is left; without a place there is none', (t) => {
  const room = new OutputBuffer(2)
  const taken = room.places.map(() => room.take())
  t.same(new Set(taken).size, room.places.length)
  t.notOk(taken.includes(NO_PLACE))
  t.equal(room.take(), NO_PLACE)
  room.leave(NO_PLACE)
  t.equal(room.take(), NO_PLACE)
  room.leave(taken[1] ?? NO_PLACE)
  t.equal(room.take(), taken[1])
  t.throws(() => room.read(NO_PLACE, 1), /no place/)
  t.end()
})
