import t from 'tap'
import {
  type Abi,
  createPublicClient,
  encodeFunctionData,
  type Hex,
  http,
  numberToHex,
  parseEther,
} from 'viem'
import { readArtefact } from '../contracts/artefact.ts'
import { COW_ADDRESS } from '../support/accounts.ts'
import { startNode } from '../support/nodeProcess.ts'
import { balanceSlot, totalSupplySlot } from './tokenSlots.ts'

const RECEIVER = `0x${'1a'.repeat(20)}` as const
const ELSEWHERE = `0x${'e1'.repeat(20)}` as const
const TOKEN = readArtefact('Token')
const FAILURES = readArtefact('Failures')
const abi = TOKEN.abi as Abi
const failures = FAILURES.abi as Abi

t.test('viem simulates on a node, with overridden state', async (t) => {
  const node = await startNode({ dataDir: t.testdir() })
  t.teardown(() => node.stop())
  const client = createPublicClient({ transport: http(node.url) })
  const hash = await node.request<Hex>('eth_sendTransaction', [
    { from: COW_ADDRESS, gas: '0x300000', data: `${TOKEN.bytecode}${'64'.padStart(64, '0')}` },
  ])
  const { contractAddress: token } = await client.getTransactionReceipt({ hash })
  if (token === null || token === undefined) throw new Error('no contract address')
  const transfer = (amount: bigint) =>
    ({ to: token, abi, functionName: 'transfer', args: [RECEIVER, amount] }) as const
  const balanceOf = (owner: Hex) => ({ to: token, abi, functionName: 'balanceOf', args: [owner] }) as const
  const rich = [{ slot: balanceSlot(ELSEWHERE), value: numberToHex(9n, { size: 32 }) }]

  await t.test('calls and estimates', async (t) => {
    const read = { address: token, abi, functionName: 'balanceOf', args: [ELSEWHERE] } as const
    t.equal(await client.readContract(read), 0n)
    const diff = [{ address: token, stateDiff: rich }]
    t.equal(await client.readContract({ ...read, stateOverride: diff }), 9n)
    const supply = { address: token, abi, functionName: 'totalSupply' } as const
    t.equal(await client.readContract({ ...supply, stateOverride: diff }), 100n, 'other cells stay')
    const whole = [{ address: token, state: rich }]
    t.equal(await client.readContract({ ...supply, stateOverride: whole }), 0n, 'all cells are replaced')
    const moved = [
      {
        address: ELSEWHERE,
        code: TOKEN.deployedBytecode,
        state: [{ slot: totalSupplySlot, value: numberToHex(3n, { size: 32 }) }],
      },
    ]
    t.equal(await client.readContract({ ...supply, address: ELSEWHERE, stateOverride: moved }), 3n)
    const data = encodeFunctionData({ abi, functionName: 'transfer', args: [RECEIVER, 9n] })
    await t.rejects(client.estimateGas({ account: ELSEWHERE, to: token, data }))
    t.ok((await client.estimateGas({ account: ELSEWHERE, to: token, data, stateOverride: diff })) > 21_000n)
    const poor = { account: ELSEWHERE, to: RECEIVER, value: parseEther('1') }
    await t.rejects(client.estimateGas(poor), /insufficient funds for transfer/)
    const funded = [{ address: ELSEWHERE, balance: parseEther('2') }]
    t.equal(await client.estimateGas({ ...poor, stateOverride: funded }), 21_000n)
  })

  await t.test('access lists', async (t) => {
    const data = encodeFunctionData({ abi, functionName: 'transfer', args: [RECEIVER, 1n] })
    const { accessList, gasUsed } = await client.createAccessList({ account: COW_ADDRESS, to: token, data })
    t.same(accessList, [])
    t.ok(gasUsed > 21_000n)
    await t.rejects(client.createAccessList({ account: ELSEWHERE, to: token, data }), /execution reverted/)
  })

  await t.test('blocks', async (t) => {
    const [first, second, third] = await client.simulateBlocks({
      blocks: [
        { calls: [{ account: COW_ADDRESS, ...transfer(30n) }, balanceOf(RECEIVER)] },
        {
          blockOverrides: {
            number: 3n,
            time: 4_000_000_000n,
            gasLimit: 9_000_000n,
            feeRecipient: ELSEWHERE,
          },
          stateOverrides: [{ address: token, stateDiff: rich }],
          calls: [{ account: ELSEWHERE, ...transfer(9n) }, balanceOf(RECEIVER)],
        },
        {
          stateOverrides: [{ address: ELSEWHERE, code: FAILURES.deployedBytecode }],
          calls: [{ to: ELSEWHERE, abi: failures, functionName: 'withReason', args: ['closed'] }],
        },
      ],
    })
    t.match(first, { number: 2n, calls: [{ status: 'success', result: true }, { result: 30n }] })
    t.match(first?.calls[0]?.logs, [{ address: token, blockNumber: 2n, logIndex: 0, removed: false }])
    t.match(second, {
      timestamp: 4_000_000_000n,
      gasLimit: 9_000_000n,
      miner: ELSEWHERE,
      calls: [{ status: 'success' }, { result: 39n }],
    })
    t.match(third, { number: 4n, calls: [{ status: 'failure', error: { message: /closed/ } }] })
    t.equal(await client.readContract({ address: token, ...balanceOf(RECEIVER) }), 0n, 'nothing is kept')
  })

  await t.test('calls, with what an account wins and loses by them', async (t) => {
    const { results, assetChanges } = await client.simulateCalls({
      account: COW_ADDRESS,
      calls: [transfer(40n), { to: RECEIVER, value: parseEther('1') }],
      traceAssetChanges: true,
    })
    t.match(results, [{ status: 'success', result: true }, { status: 'success' }])
    t.same(
      assetChanges.map(({ token: { address }, value: { diff } }) => [address, diff]),
      [
        ['0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee', -parseEther('1')],
        [token, -40n],
      ],
    )
    await t.rejects(
      client.simulateCalls({ account: ELSEWHERE, calls: [{ to: RECEIVER, value: 1n }] }),
      /insufficient funds for gas \* price \+ value/,
    )
  })
})
