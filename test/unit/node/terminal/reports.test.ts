import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { type Abi, encodeFunctionData } from 'viem'
import { ContractProject } from '../../../../src/abi/contractProject.ts'
import { fillDefaults } from '../../../../src/config/load.ts'
import type { PartialConfig } from '../../../../src/config/schema.ts'
import { ExecutionDescriber } from '../../../../src/node/terminal/describedExecution.ts'
import { DevelopmentReports } from '../../../../src/node/terminal/developmentReports.ts'
import { openReports } from '../../../../src/node/terminal/openReports.ts'
import { terminalText } from '../../../../src/node/terminal/terminalText.ts'
import { createLogger } from '../../../../src/observe/logger.ts'
import type { CallReport, ExecutionSummary } from '../../../../src/rpc/reports/executionReports.ts'
import { summarizeTrace } from '../../../../src/rpc/reports/summarizeTrace.ts'
import { fromHex } from '../../../../src/util/bytes.ts'
import { readArtefact } from '../../../contracts/artefact.ts'
import { COW_ADDRESS } from '../../../support/accounts.ts'
import { testFolder } from '../../../support/testFolder.ts'

const TOKEN = readArtefact('Token')
const NOISY = readArtefact('Noisy')
const PROXY = `0x${'aa'.repeat(20)}`
const IMPLEMENTATION = `0x${'bb'.repeat(20)}`
const SILENT = createLogger({ level: 'silent', format: 'json' })
const TRANSFER = encodeFunctionData({
  abi: TOKEN.abi as Abi,
  functionName: 'transfer',
  args: [COW_ADDRESS, 5n],
})

function summary(changes: Partial<ExecutionSummary> = {}): ExecutionSummary {
  return {
    from: COW_ADDRESS,
    to: PROXY,
    created: null,
    value: 0n,
    input: '0x',
    gasUsed: 21_000n,
    error: null,
    isRevert: false,
    output: '0x',
    console: [],
    moreConsole: 0,
    contracts: [],
    ...changes,
  }
}

function callOf(changes: Partial<ExecutionSummary>): CallReport {
  return { kind: 'call', method: 'eth_call', gasLimit: 1n, block: 7, summary: summary(changes) }
}

function projectWith(folder: string): ContractProject {
  const names = { Token: TOKEN, Noisy: NOISY }
  for (const [name, contract] of Object.entries(names)) {
    mkdirSync(join(folder, `${name}.sol`))
    const text = JSON.stringify({ ...contract, contractName: name })
    writeFileSync(join(folder, `${name}.sol`, `${name}.json`), text)
  }
  return new ContractProject([folder])
}

t.test('a trace is summed up in the order of its calls', (t) => {
  const console = (input: string) => ({
    type: 'STATICCALL',
    from: PROXY,
    to: '0x000000000000000000636f6e736f6c652e6c6f67',
    input,
  })
  const text = JSON.stringify({
    type: 'CALL',
    from: COW_ADDRESS,
    to: PROXY,
    value: '0x5',
    gasUsed: '0x10',
    input: TRANSFER,
    output: '0x01',
    error: 'execution reverted',
    calls: [
      console('0x01'),
      {
        type: 'DELEGATECALL',
        from: PROXY,
        to: IMPLEMENTATION,
        input: TRANSFER,
        calls: [console('0x02'), { type: 'CALL', from: PROXY, to: COW_ADDRESS, calls: [console('0x03')] }],
      },
      console('0x04'),
    ],
  })
  const { accounts, ...summed } = summarizeTrace(text)
  t.same(accounts, [PROXY, IMPLEMENTATION])
  t.match(summed, {
    to: PROXY,
    created: null,
    value: 5n,
    gasUsed: 16n,
    error: 'execution reverted',
    isRevert: true,
    output: '0x01',
    console: ['0x01', '0x02', '0x03', '0x04'],
    moreConsole: 0,
  })
  const creation = { type: 'CREATE', from: COW_ADDRESS, to: PROXY, input: '0x60' }
  t.match(summarizeTrace(JSON.stringify(creation)), { to: null, created: PROXY, error: null, accounts: [] })
  const failed = { type: 'CREATE', from: COW_ADDRESS, input: '0x60', error: 'out of gas' }
  t.match(summarizeTrace(JSON.stringify(failed)), { to: null, created: null, isRevert: false })
  const many = { type: 'CALL', from: PROXY, to: PROXY, calls: new Array(1200).fill(console('0x01')) }
  t.match(summarizeTrace(JSON.stringify(many)), { moreConsole: 200 })
  t.end()
})

t.test('contracts are named, also behind a proxy and where nothing is known of them', async (t) => {
  const describer = new ExecutionDescriber(projectWith(testFolder(t)))
  const token = { address: IMPLEMENTATION, code: fromHex(TOKEN.deployedBytecode), isPrecompiled: false }
  const other = { address: PROXY, code: fromHex('0x6001'), isPrecompiled: false }
  const described = (changes: Partial<ExecutionSummary>) => describer.describe(summary(changes))
  const transfer = `transfer(${COW_ADDRESS}, 5)`
  t.match(await described({ input: TRANSFER, contracts: [token] }), { contract: 'Token', function: transfer })
  t.match(await described({ input: TRANSFER, contracts: [other, token] }), {
    contract: 'Token',
    function: transfer,
  })
  const noisy = { ...other, code: fromHex(NOISY.deployedBytecode) }
  t.match(await described({ input: TRANSFER, contracts: [noisy, token] }), {
    contract: 'Noisy → Token',
    function: transfer,
  })
  t.match(await described({ contracts: [noisy], value: 1n }), { contract: 'Noisy', function: 'receive()' })
  t.match(await described({ input: TRANSFER, contracts: [other] }), { contract: null, function: transfer })
  t.match(await described({ input: '0x12345678', contracts: [other] }), { function: '0x12345678' })
  const nobody = { ...other, code: Buffer.alloc(0) }
  t.match(await described({ input: TRANSFER, contracts: [nobody] }), { isCodeMissing: true })
  t.match(await described({ contracts: [nobody] }), { contract: null, function: null, isCodeMissing: false })
  const bridge = '0x0000000000000000000000000000000001000006'
  const native = { address: bridge, code: Buffer.alloc(0), isPrecompiled: true }
  t.match(await described({ to: bridge, input: '0x12345678', contracts: [native] }), {
    contract: 'Bridge',
    isCodeMissing: false,
  })
  t.match(await described({ to: null, input: '0x60016002' }), { contract: null, isCreation: true })
})

t.test('nothing that a contract says moves the cursor or begins a line of its own', (t) => {
  const described = {
    contract: 'Evil\u001b[2J',
    function: 'f("\u202e")',
    isCreation: false,
    isCodeMissing: false,
    failure: "reverted with reason string 'a\r\u001b[1A\nb'",
    console: ['one\ntwo\u0007'],
  }
  const report = callOf({ error: 'execution reverted', moreConsole: 3 })
  const text = terminalText(report, described, false)
  t.match(text, /^eth_call\n {2}Contract call: {7}Evil\\u001b\[2J\.f\("\\u202e"\)\n/)
  t.match(text, '  console.log:\n    one\n    two\\u0007\n    … and 3 more\n')
  t.same(
    [...text].filter((character) => (character < ' ' && character !== '\n') || character === '\u202e'),
    [],
  )
  for (const line of text.trimEnd().split('\n').slice(1)) t.match(line, /^$|^ {2}/)
  t.ok(terminalText(report, described, true).startsWith('\u001b[31meth_call\u001b[39m\n'))
  t.equal(terminalText({ kind: 'emptyBlocks', first: 2, last: 2 }, null, false), 'Mined empty block #2\n\n')
  t.equal(
    terminalText({ kind: 'refusal', method: 'eth_sendTransaction', hash: null, reason: 'why' }, null, false),
    'eth_sendTransaction\n\n  Error: why\n\n',
  )
  t.equal(
    terminalText({ kind: 'emptyBlocks', first: 2, last: 9 }, null, false),
    'Mined empty blocks #2 to #9\n\n',
  )
  t.end()
})

t.test('each level of verbosity has what comes before it', async (t) => {
  const transaction = {
    kind: 'transaction',
    method: 'eth_sendTransaction',
    hash: `0x${'01'.repeat(32)}`,
    gasUsed: 1n,
    gasLimit: 2n,
    block: 1,
    blockHash: `0x${'02'.repeat(32)}`,
  } as const
  const reports = [
    callOf({}),
    callOf({ error: 'execution reverted', isRevert: true }),
    callOf({ console: ['0x'] }),
    { kind: 'refusal', method: 'eth_sendTransaction', hash: transaction.hash, reason: 'why' } as const,
    { ...transaction, summary: summary() },
    { ...transaction, summary: summary({ error: 'out of gas' }) },
  ]
  for (const [verbosity, count] of [
    ['failures', 4],
    ['transactions', 5],
    ['calls', 6],
  ] as const) {
    let written = 0
    const output = { write: () => (written += 1), isColored: false }
    const project = new ContractProject([])
    const all = new DevelopmentReports({ verbosity, output, project, log: SILENT })
    for (const report of reports) all.report(report as CallReport)
    await all.close()
    t.equal(written, count, verbosity)
  }
})

t.test('reports that wait are bounded in bytes', async (t) => {
  const shown: string[] = []
  const reports = new DevelopmentReports({
    verbosity: 'calls',
    output: { write: (text) => void shown.push(text), isColored: false },
    project: new ContractProject([]),
    log: SILENT,
  })
  const large = callOf({ error: 'x', output: `0x${'00'.repeat(8 * 1024 * 1024)}` })
  for (let call = 0; call < 20; call += 1) reports.report(large)
  await reports.close()
  t.ok(shown.length > 1 && shown.length < 8, `${shown.length} of 20`)
})

t.test('nothing is reported where nobody looks', async (t) => {
  const screen = { isTTY: true, write: () => undefined }
  const opened = async (changes: PartialConfig, terminal: typeof screen | null = screen) => {
    const { reports, describeFailure } = await openReports(
      fillDefaults({ network: 'regtest', ...changes }),
      terminal,
      SILENT,
    )
    await reports?.close()
    return [reports !== null, describeFailure !== null]
  }
  t.same(await opened({}), [true, false])
  t.same(await opened({}, null), [false, false])
  t.same(await opened({}, { ...screen, isTTY: false }), [false, false])
  t.same(await opened({ verbosity: 'calls' }, null), [true, false])
  t.same(await opened({ verbosity: 'off' }), [false, false])
  t.same(await opened({ profile: 'hosted' }), [false, false])
  t.same(await opened({ network: 'testnet' }), [false, false])
  t.same(await opened({ clientName: 'hardhat' }, null), [false, true])
  await t.rejects(opened({ project: '/nowhere/at/all' }), { code: 'PROJECT' })
})
