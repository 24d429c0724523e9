import t from 'tap'
import { toFailure } from '../../../src/cli/errors.ts'
import { NativeError } from '../../../src/native/errors.ts'
import { NodeError, toLimitError, toNodeError } from '../../../src/node/errors.ts'
import { StorageError, type StorageErrorCode } from '../../../src/storage/errors.ts'

t.test('problems of the data directory say what to do', (t) => {
  const cases: [StorageErrorCode, string, RegExp][] = [
    ['STORAGE_LOCKED', 'DATA_DIR_LOCKED', /stop the other node/],
    ['STORAGE_NETWORK', 'DATA_DIR_NETWORK', /--network/],
    ['STORAGE_FORMAT', 'DATA_DIR_FORMAT', /version that wrote it/],
    ['STORAGE_CORRUPT', 'DATA_DIR_CORRUPT', /rhizome check/],
  ]
  for (const [from, code, message] of cases) {
    const error = toNodeError(new StorageError(from, 'the cause'), '/data')
    t.match(error, { code, message }, from)
    t.match((error as NodeError).message, /^the cause: /)
  }
  for (const thrown of [
    Object.assign(new Error('EACCES: permission denied'), { code: 'EACCES' }),
    new NativeError('Store', 'disk full'),
  ]) {
    t.match(toNodeError(thrown, '/data'), { code: 'DATA_DIR_UNUSABLE', message: /\/data .*owner/ })
  }
  t.end()
})

t.test('faults of the program stay what they are', (t) => {
  for (const fault of [new TypeError('x'), new NativeError('Panic', 'x'), null]) {
    t.equal(toNodeError(fault, '/data'), fault)
  }
  t.end()
})

t.test('an error survives the way to another thread', (t) => {
  const error = new NodeError('DATA_DIR_FORMAT', 'use the version that wrote it')
  const copy = NodeError.fromObject(structuredClone(error.toObject()))
  t.match(copy, { name: 'NodeError', code: error.code, message: error.message })
  t.end()
})

t.test('what the system limits is named with its limit', (t) => {
  const files = [
    Object.assign(new Error('EMFILE: too many open files, open'), { code: 'EMFILE' }),
    new NativeError('Store', 'state store: cannot open: Too many open files (os error 24)'),
  ]
  for (const thrown of files) {
    t.match(toNodeError(thrown, '/data'), { code: 'SYSTEM_LIMIT', message: /`ulimit -n`, LimitNOFILE=/ })
    t.match(toFailure(thrown, '/data'), { code: 'Failed', exitCode: 1, message: /`ulimit -n`/ })
  }
  for (const thrown of [
    new NativeError('Store', 'state store: cannot open: Cannot allocate memory (os error 12)'),
    Object.assign(new Error('Cannot allocate memory'), { code: 12 }),
  ]) {
    const limit = { code: 'SYSTEM_LIMIT', message: /`ulimit -v unlimited`.*--store-limit/ }
    t.match(toNodeError(thrown, '/data'), limit)
  }
  t.equal(toLimitError(new Error('another')), null)
  t.end()
})
