/** Opcodes by name, as far as the programs use them. */
const OPCODES = {
  STOP: 0x00,
  ADD: 0x01,
  MUL: 0x02,
  SUB: 0x03,
  DIV: 0x04,
  LT: 0x10,
  EQ: 0x14,
  ISZERO: 0x15,
  KECCAK256: 0x20,
  ADDRESS: 0x30,
  BALANCE: 0x31,
  ORIGIN: 0x32,
  CALLER: 0x33,
  CALLVALUE: 0x34,
  CALLDATALOAD: 0x35,
  CALLDATASIZE: 0x36,
  CALLDATACOPY: 0x37,
  CODESIZE: 0x38,
  CODECOPY: 0x39,
  EXTCODESIZE: 0x3b,
  RETURNDATASIZE: 0x3d,
  RETURNDATACOPY: 0x3e,
  EXTCODEHASH: 0x3f,
  SELFBALANCE: 0x47,
  POP: 0x50,
  MLOAD: 0x51,
  MSTORE: 0x52,
  MSTORE8: 0x53,
  SLOAD: 0x54,
  SSTORE: 0x55,
  JUMP: 0x56,
  JUMPI: 0x57,
  PC: 0x58,
  MSIZE: 0x59,
  GAS: 0x5a,
  JUMPDEST: 0x5b,
  TLOAD: 0x5c,
  TSTORE: 0x5d,
  MCOPY: 0x5e,
  PUSH0: 0x5f,
  DUP1: 0x80,
  DUP2: 0x81,
  SWAP1: 0x90,
  LOG0: 0xa0,
  LOG1: 0xa1,
  LOG2: 0xa2,
  LOG3: 0xa3,
  LOG4: 0xa4,
  CREATE: 0xf0,
  CALL: 0xf1,
  CALLCODE: 0xf2,
  RETURN: 0xf3,
  DELEGATECALL: 0xf4,
  CREATE2: 0xf5,
  STATICCALL: 0xfa,
  REVERT: 0xfd,
  INVALID: 0xfe,
  SELFDESTRUCT: 0xff,
}

/** Code of words: names of opcodes, and `0x` hex, which is pushed. */
function code(text) {
  const bytes = text
    .split(/\s+/)
    .filter((word) => word !== '')
    .map((word) => {
      if (!word.startsWith('0x')) {
        if (OPCODES[word] === undefined) throw new Error(`no opcode ${word}`)
        return OPCODES[word].toString(16).padStart(2, '0')
      }
      const digits = word.slice(2).padStart(2 * Math.ceil((word.length - 2) / 2), '0')
      return (0x5f + digits.length / 2).toString(16) + digits
    })
  return bytes.join('')
}

const length = (hex) => `0x${(hex.length / 2).toString(16).padStart(4, '0')}`
/** Code of a creation that leaves `hex` as the code of the account. */
const creation = (hex) => {
  const head = (offset) => code(`${length(hex)} ${offset} PUSH0 CODECOPY ${length(hex)} PUSH0 RETURN`)
  return `0x${head(length(head('0x0000')))}${hex}`
}
/** Words that put bytes (hex, at most 32) to the start of the memory. */
const memory = (hex) => `0x${hex.padEnd(64, '0')} PUSH0 MSTORE`

/** Error(string) with "no". */
const REASON = `08c379a0${'20'.padStart(64, '0')}${'2'.padStart(64, '0')}${'6e6f'.padEnd(64, '0')}`
const reasoned = [0, 1, 2, 3]
  .map(
    (at) =>
      `0x${REASON.slice(64 * at, 64 * at + 64).padEnd(64, '0')} 0x${(32 * at).toString(16).padStart(2, '0')} MSTORE`,
  )
  .join(' ')

/** Contracts that programs call, by name; each stands at the address of its place in the list of creations. */
const HELPERS = {
  returns: code(`${memory('112233')} 0x20 PUSH0 RETURN`),
  stores: code(
    '0x07 0x01 SSTORE PUSH0 CALLDATALOAD 0x02 SSTORE CALLVALUE 0x03 SSTORE 0x2a PUSH0 MSTORE 0x20 PUSH0 RETURN',
  ),
  clears: code('PUSH0 0x01 SSTORE PUSH0 0x02 SSTORE STOP'),
  reverts: code(`${memory('deadbeef')} 0x04 PUSH0 REVERT`),
  reasons: code(`${reasoned} 0x64 PUSH0 REVERT`),
  silent: code('PUSH0 PUSH0 REVERT'),
  invalid: code('INVALID'),
  undefinedOpcode: '0c',
  underflows: code('ADD'),
  jumpsAstray: code('0x03 JUMP'),
  logs: code(
    `${memory('abcd')} 0x02 PUSH0 LOG0 0x01 0x20 PUSH0 LOG1 0x02 0x01 0x04 0x03 LOG2 0x03 0x02 0x01 PUSH0 PUSH0 LOG3 0x04 0x03 0x02 0x01 0x20 PUSH0 LOG4`,
  ),
  logsAndReverts: code('0x01 PUSH0 PUSH0 LOG1 PUSH0 PUSH0 REVERT'),
  loops: code('JUMPDEST PUSH0 JUMP'),
  destructs: code('0xbeef SELFDESTRUCT'),
  receives: code('STOP'),
  empty: '',
}

const call = (kind, to, { value = '', data = 0, gas = '0xffff', out = 0 } = {}) => {
  const size = (count) => (count === 0 ? 'PUSH0' : `0x${count.toString(16).padStart(2, '0')}`)
  const sent = kind === 'CALL' || kind === 'CALLCODE' ? value || 'PUSH0' : ''
  return `${size(out)} PUSH0 ${size(data)} PUSH0 ${sent} ${to} ${gas} ${kind}`
}

/**
 * Programs: what the transaction does; `at` gives the address of a helper. A program is the code of a contract
 * that is called with `data` and `value`, or, with `creates`, the code of a creation. `hidden` says that it makes
 * calls that traces leave out here (evm.md §6.3), `endless` that it ends with its gas.
 * @returns {{ name: string, code?: string, creates?: string, to?: string, data?: string, value?: string, gas?: string }[]}
 */
function programs(at) {
  const kinds = ['CALL', 'CALLCODE', 'DELEGATECALL', 'STATICCALL']
  const made = creation(HELPERS.returns).slice(2)
  /** Puts the code of a creation into the memory, 32 bytes at a time. */
  const inMemory = (hex) => {
    const words = hex.match(/.{1,64}/g) ?? []
    return words
      .map(
        (word, index) => `0x${word.padEnd(64, '0')} 0x${(32 * index).toString(16).padStart(2, '0')} MSTORE`,
      )
      .join(' ')
  }
  const size = (hex) => `0x${(hex.length / 2).toString(16).padStart(2, '0')}`
  const failing = code(`${memory('deadbeef')} 0x04 PUSH0 REVERT`)
  return [
    { name: 'transfer', to: '0x00000000000000000000000000000000000c0ffe', value: '0x5' },
    { name: 'transfer with data', to: '0x00000000000000000000000000000000000c0ffe', data: '0x01020304aa' },
    {
      name: 'call of a precompiled contract',
      to: '0x0000000000000000000000000000000000000004',
      data: '0xabcd',
    },
    { name: 'call of nothing', code: '' },
    {
      name: 'arithmetic and memory',
      code: `${code(`0x03 0x04 MUL 0x05 ADD PUSH0 MSTORE ${memory('ff')} 0x40 MLOAD POP MSIZE 0x20 MSTORE 0x20 PUSH0 KECCAK256 0x60 MSTORE8 0x20 PUSH0 0x20 MCOPY 0x80 PUSH0 RETURN`)}`,
    },
    {
      name: 'storage',
      code: code('0x07 0x01 SSTORE 0x01 SLOAD 0x08 0x02 SSTORE POP 0x09 0x01 SSTORE 0x03 SLOAD POP'),
    },
    {
      name: 'storage set and cleared',
      code: code('0x07 0x01 SSTORE PUSH0 0x01 SSTORE PUSH0 0x05 SSTORE 0x01 0x06 SSTORE'),
    },
    { name: 'transient storage', code: code('0x07 0x01 TSTORE 0x01 TLOAD PUSH0 MSTORE 0x20 PUSH0 RETURN') },
    {
      name: 'environment',
      code: code('ADDRESS BALANCE CALLER ORIGIN EQ CALLVALUE CALLDATASIZE SELFBALANCE CODESIZE 0x09 PC POP'),
      data: '0xaabbccddee',
      value: '0x9',
    },
    {
      name: 'state of others',
      code: code(
        `${at('stores')} BALANCE ${at('stores')} EXTCODESIZE ${at('stores')} EXTCODEHASH 0xc0ffee BALANCE`,
      ),
    },
    { name: 'logs', code: HELPERS.logs },
    { name: 'reverts without data', code: HELPERS.silent },
    { name: 'reverts with data', code: HELPERS.reverts },
    { name: 'reverts with a reason', code: HELPERS.reasons },
    { name: 'invalid', code: HELPERS.invalid },
    { name: 'undefined opcode', code: HELPERS.undefinedOpcode },
    { name: 'stack underflow', code: HELPERS.underflows },
    { name: 'bad jump', code: HELPERS.jumpsAstray },
    { name: 'out of gas', endless: true, code: HELPERS.loops, gas: '0x7530' },
    { name: 'return data out of bounds', code: code('0x01 PUSH0 PUSH0 RETURNDATACOPY') },
    ...kinds.flatMap((kind) =>
      [
        'returns',
        'stores',
        'reverts',
        'reasons',
        'invalid',
        'undefinedOpcode',
        'underflows',
        'jumpsAstray',
        'logs',
        'logsAndReverts',
        'loops',
        'empty',
      ].map((name) => ({
        name: `${kind} of ${name}`,
        endless: name === 'loops',
        code: code(
          `${memory('a1b2c3d4')} ${call(kind, at(name), { data: 36, out: 32 })} RETURNDATASIZE PUSH0 PUSH0 RETURNDATACOPY PUSH0 SSTORE`,
        ),
      })),
    ),
    ...['CALL', 'CALLCODE'].map((kind) => ({
      name: `${kind} with value`,
      code: code(call(kind, at('stores'), { value: '0x03', data: 4 })),
      value: '0x9',
    })),
    { name: 'value to an account', code: code(call('CALL', '0xc0ffee', { value: '0x03' })), value: '0x9' },
    {
      name: 'value that is not there',
      hidden: true,
      code: code(call('CALL', at('receives'), { value: '0xffffffff' })),
      value: '0x9',
    },
    {
      name: 'precompiled contracts inside',
      hidden: true,
      code: code(
        `${memory('11')} ${call('STATICCALL', '0x04', { data: 32, out: 32 })} ${call('CALL', '0x02', { data: 32, out: 32 })}`,
      ),
    },
    {
      name: 'clears of cells',
      code: code(`${call('DELEGATECALL', at('stores'))} ${call('DELEGATECALL', at('clears'))}`),
    },
    { name: 'clears of cells of others', code: code(call('CALL', at('clears'))) },
    {
      name: 'static call that writes',
      code: code(
        `${call('STATICCALL', at('stores'))} ${call('STATICCALL', at('logs'))} ${call('STATICCALL', at('destructs'))}`,
      ),
    },
    {
      name: 'selectors',
      code: code(
        `${memory('a1b2c3d4')} ${call('CALL', at('returns'), { data: 4 })} ${call('CALL', at('returns'), { data: 36 })} ${call('STATICCALL', at('returns'), { data: 3 })} ${call('DELEGATECALL', at('returns'), { data: 4 })}`,
      ),
      data: '0x11223344ff',
    },
    {
      name: 'recursion',
      code: code(
        `PUSH0 CALLDATALOAD 0x01 ADD DUP1 PUSH0 MSTORE 0x05 LT 0x21 JUMPI PUSH0 PUSH0 0x20 PUSH0 PUSH0 ADDRESS 0x02 GAS DIV CALL POP STOP`,
      ),
    },
    { name: 'creates', code: code(`${inMemory(made)} ${size(made)} PUSH0 PUSH0 CREATE PUSH0 SSTORE`) },
    {
      name: 'creates with value',
      code: code(`${inMemory(made)} ${size(made)} PUSH0 0x02 CREATE`),
      value: '0x9',
    },
    {
      name: 'creates with a salt',
      code: code(`${inMemory(made)} 0x99 ${size(made)} PUSH0 PUSH0 CREATE2 PUSH0 SSTORE`),
    },
    {
      name: 'creates and calls',
      hidden: true,
      code: code(
        `${inMemory(made)} ${size(made)} PUSH0 PUSH0 CREATE PUSH0 PUSH0 PUSH0 PUSH0 0x05 DUP2 POP SWAP1 POP PUSH0 MSTORE ${'PUSH0 '.repeat(5)} PUSH0 MLOAD 0xffff CALL`,
      ),
    },
    {
      name: 'creation inside that reverts',
      hidden: true,
      code: code(`${inMemory(failing)} ${size(failing)} PUSH0 PUSH0 CREATE`),
    },
    {
      name: 'creation inside that is invalid',
      hidden: true,
      code: code(`${memory('fe')} 0x01 PUSH0 PUSH0 CREATE`),
    },
    { name: 'creation inside of nothing', hidden: true, code: code('PUSH0 PUSH0 PUSH0 CREATE') },
    { name: 'creation inside without the value', hidden: true, code: code('PUSH0 PUSH0 0xffffff CREATE') },
    { name: 'creation', creates: creation(HELPERS.returns) },
    {
      name: 'creation with storage, value and a call',
      creates: `0x${code(`0x07 0x01 SSTORE ${call('CALL', at('stores'), { data: 4, value: '0x01' })} 0x01 PUSH0 PUSH0 LOG1 0x01 PUSH0 RETURN`)}`,
      value: '0x5',
    },
    { name: 'creation that reverts', creates: `0x${HELPERS.reasons}` },
    { name: 'creation that is invalid', creates: '0xfe' },
    { name: 'creation out of gas', endless: true, creates: `0x${HELPERS.loops}`, gas: '0x186a0' },
    { name: 'creation of nothing', creates: '0x' },
    { name: 'destruction in its own creation', creates: `0x${HELPERS.destructs}`, value: '0x4' },
    {
      name: 'creation and destruction inside',
      code: code(`${inMemory(HELPERS.destructs)} ${size(HELPERS.destructs)} PUSH0 0x01 CREATE`),
      value: '0x9',
    },
    {
      name: 'caught and gone on',
      code: code(
        `${call('CALL', at('logsAndReverts'))} ${call('CALL', at('stores'))} ${call('CALL', at('invalid'), { gas: '0x1000' })} PUSH0 PUSH0 REVERT`,
      ),
    },
  ]
}

module.exports = { HELPERS, creation, programs }
