import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { toFailure } from '../../../src/cli/errors.ts'
import { NativeError } from '../../../src/native/errors.ts'
import { NodeError, toLimitError, toNodeError } from '../../../src/node/errors.ts'
import { RpcError } from '../../../src/rpc/errors.ts'
import { StorageError, type StorageErrorCode } from '../../../src/storage/errors.ts'
import { toUnwritable } from '../../../src/storage/unwritable.ts'

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

t.test('what LMDB says of a damaged file is damage', (t) => {
  for (const text of [
    'MDB_CORRUPTED: Located page was wrong type',
    'MDB_PAGE_NOTFOUND: Requested page not found',
    'MDB_INVALID: File is not an LMDB file',
    'MDB_BAD_TXN: Transaction must abort, has a child, or is invalid',
    'MDB_CURSOR_FULL: Internal error - cursor stack limit reached',
    'MDB_PAGE_FULL: Internal error - page has no more space',
    'MDB_INCOMPATIBLE: Operation and DB incompatible, or DB flags changed',
    'MDB_PROBLEM: Unexpected problem - txn should abort',
  ])
    for (const thrown of [new Error(text), new NativeError('Store', `state store: ${text}`)]) {
      t.match(toNodeError(thrown, '/data'), { code: 'DATA_DIR_CORRUPT', message: /damaged .*rhizome check/ })
      t.match(toFailure(thrown, '/data'), { exitCode: 4 })
    }
  const cause = new NativeError('MissingState', 'a node is missing')
  const asMethod = new RpcError('notFound', 'State not found for block with hash 01', { cause })
  t.match(toFailure(asMethod, '/data'), { exitCode: 4, message: /damaged .*rhizome check/ })
  const refusal = new RpcError('invalidParams', 'x')
  t.equal(toFailure(refusal, '/data'), refusal)
  t.end()
})

t.test('a write where no file reaches is damage, and want of room where files may not grow', (t) => {
  const dataDir = t.testdir({ chain: { 'data.mdb': 'x' }, state: { 'data.mdb': 'x' } })
  const thrown = Object.assign(new Error('File too large: Attempting to write page'), { code: 27 })
  const state = new NativeError('Store', 'state store: File too large (os error 27)')
  for (const cause of [thrown, state, toUnwritable(thrown)]) {
    t.match(toNodeError(cause, dataDir), { code: 'DATA_DIR_CORRUPT', message: /damaged .*rhizome check/ })
    t.match(toFailure(cause, dataDir), { exitCode: 4 })
    t.match(toNodeError(cause, '/absent'), { code: 'DATA_DIR_UNWRITABLE', message: /make room/ })
  }
  t.same(readdirSync(join(dataDir, 'chain')), ['data.mdb'], 'the probe is gone')
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
