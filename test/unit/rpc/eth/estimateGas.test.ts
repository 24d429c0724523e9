import t from 'tap'
import { type Abi, encodeDeployData, encodeFunctionData, type Hex, toFunctionSelector } from 'viem'
import { toHex } from '../../../../src/util/bytes.ts'
import { readArtefact } from '../../../contracts/artefact.ts'
import { COW } from '../../../support/signedTransaction.ts'
import { type DevNode, openDevNode } from '../evm/devNode.ts'

type Artefact = Parameters<typeof readArtefact>[0]
type Call = { readonly to?: Hex; readonly data?: Hex; readonly value?: Hex }

const FROM = toHex(COW.address)
const SOMEBODY = `0x${'3c'.repeat(20)}` as const
/** Copies what follows it and returns it as code. */
const deployer = (code: string): Hex =>
  `0x61${(code.length / 2).toString(16).padStart(4, '0')}80600c6000396000f3${code}`
/** Calls the address of the call data with all gas and the value, and fails when that fails. */
const CALLS_ON = '6000600060006000346000355af1601557600080fd5b00'
/** Writes to cell 0 and clears it at once: gas is refunded. */
const WRITES_AND_CLEARS = '600160005560006000550000'
/** Ends itself in favour of the caller. */
const ENDS = '33ff'
/** Needs 300,000 gas to be there when it starts, and uses next to none: what is used says nothing. */
const ASKS_FOR_GAS = '620493e05a11600d57600080fd5b00'

t.test('an estimate is enough, and at most two in a hundred more than the least that is', async (t) => {
  const node = await openDevNode(t)
  const { ask } = node
  const deploy = async (name: Artefact, args: readonly unknown[] = []) => {
    const { abi, bytecode } = readArtefact(name)
    const data = encodeDeployData({ abi: abi as Abi, bytecode, args })
    return { data, address: await create(node, data), abi: abi as Abi }
  }
  const token = await deploy('Token', [1000n])
  const archive = await deploy('Archive')
  const compute = await deploy('Compute')
  const failures = await deploy('Failures')
  const call = ({ address, abi }: typeof token, functionName: string, ...args: unknown[]): Call => ({
    to: address,
    data: encodeFunctionData({ abi, functionName, args }),
  })
  const on = await create(node, deployer(CALLS_ON))
  const long = 'x'.repeat(300)
  await send(node, call(archive, 'append', 'to be dropped'), 3_000_000)
  await send(node, call(token, 'approve', FROM, 50n), 3_000_000)
  const through = (address: Hex): Hex => `0x${address.slice(2).padStart(64, '0')}`
  const calls: Readonly<Record<string, Call>> = {
    'a payment to a new account': { to: SOMEBODY, value: '0x1' },
    'a payment with data': { to: SOMEBODY, data: `0x${'00ff'.repeat(40)}` },
    'the Token is created': { data: token.data },
    'the Archive is created': { data: archive.data },
    'an empty creation': { data: '0x' },
    'tokens to a new holder': call(token, 'transfer', SOMEBODY, 5n),
    'all tokens, which clears a cell': call(token, 'transfer', SOMEBODY, 1000n),
    'an allowance that is used up': call(token, 'transferFrom', FROM, SOMEBODY, 50n),
    'a long text in many cells': call(archive, 'setTitle', long),
    'a longer list': call(archive, 'append', long),
    'a list that is cleared': call(archive, 'drop'),
    'cells that are found by hashes': call(archive, 'link', 7n, 8n),
    'many logs': call(compute, 'log', 40n),
    'many cells': call(compute, 'store', 1n, 30n, 5n),
    'failures that are caught': call(failures, 'caught'),
    'a call within a call': { to: on, data: through(await create(node, deployer(WRITES_AND_CLEARS))) },
    'value through a contract': { to: on, data: through(SOMEBODY), value: '0x7' },
    'a cell that is cleared at once': { to: await create(node, deployer(WRITES_AND_CLEARS)) },
    'a contract that ends itself': { to: await create(node, deployer(ENDS)) },
    'gas that is asked for and not used': { to: await create(node, deployer(ASKS_FOR_GAS)) },
    'a precompiled contract': { to: `0x${'02'.padStart(40, '0')}`, data: `0x${'ab'.repeat(500)}` },
  }
  for (const [name, wanted] of Object.entries(calls)) {
    const estimate = Number(await ask('eth_estimateGas', { from: FROM, ...wanted }))
    t.ok(await succeeds(node, wanted, estimate), `${name}: ${estimate} is enough`)
    // Two in a hundred less must not do: the least that does is then more than that.
    const less = Math.ceil(estimate / 1.02) - 1
    t.notOk(await succeeds(node, wanted, less), `${name}: ${less} is not`)
  }
})

/** Sends in a block of its own. @returns the receipt; null when the pool refuses */
async function send({ ask, answer }: DevNode, call: Call, gas: number) {
  const { result, error } = await answer('eth_sendTransaction', {
    from: FROM,
    gas: `0x${gas.toString(16)}`,
    ...call,
  })
  if (error !== undefined) return null
  await ask('evm_mine')
  return ask('eth_getTransactionReceipt', result)
}

/** Address of a contract that is created. */
async function create(node: DevNode, data: Hex): Promise<Hex> {
  const receipt = await send(node, { data }, 3_000_000)
  if (receipt?.status !== '0x1') throw new Error(`not created: ${JSON.stringify(receipt)}`)
  return receipt.contractAddress
}

/** Whether a transaction succeeds with so much gas; the chain is then as before. */
async function succeeds(node: DevNode, call: Call, gas: number): Promise<boolean> {
  const snapshot = await node.ask('evm_snapshot')
  const receipt = await send(node, call, gas)
  await node.ask('evm_revert', snapshot)
  return receipt?.status === '0x1'
}

t.test('maxFeePerGas is the price of an estimate that names no other', async (t) => {
  const { ask, answer } = await openDevNode(t)
  const account = `0x${'4d'.repeat(20)}`
  await ask('hardhat_setBalance', account, '0x5208')
  const call = { from: account, to: SOMEBODY }
  const poor = { error: { code: -32000, message: 'insufficient funds for transfer' } }
  t.equal(
    await ask('eth_estimateGas', { ...call, maxFeePerGas: '0x1', maxPriorityFeePerGas: '0x1' }),
    '0x5208',
  )
  t.match(await answer('eth_estimateGas', { ...call, maxFeePerGas: '0x2' }), poor)
  t.match(await answer('eth_estimateGas', { ...call, gasPrice: '0x2' }), poor)
  t.equal(await ask('eth_estimateGas', { ...call, gasPrice: '0x1', maxFeePerGas: '0x2' }), '0x5208')
  t.match(await answer('eth_estimateGas', { ...call, maxFeePerGas: 'x' }), { error: { code: -32602 } })
  // Returns the gas price.
  const contract = await create({ ask, answer } as DevNode, '0x683a60005260206000f360005260096017f3')
  const price = await ask('eth_call', { to: contract, maxFeePerGas: '0x7' }, 'latest')
  t.equal(BigInt(price), 7n)
})

t.test('methods of the Bridge that answer local calls only say so', async (t) => {
  const { ask, answer } = await openDevNode(t)
  await ask('evm_mine')
  const to = '0x0000000000000000000000000000000001000006'
  for (const name of [
    'getBtcBlockchainInitialBlockHeight()',
    'getFederationThreshold()',
    'getStateForDebugging()',
    'getLockingCap()',
  ]) {
    const data = toFunctionSelector(`function ${name}`)
    t.match(await ask('eth_call', { from: FROM, to, data }, 'latest'), /^0x/, name)
    const { error } = await answer('eth_estimateGas', { from: FROM, to, data })
    t.equal(error?.code, -32000)
    t.equal(error?.message, `${name.slice(0, -2)} answers local calls only: precompiled contract reverted`)
  }
})
