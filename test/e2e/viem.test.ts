import t from 'tap'
import {
  type Abi,
  BaseError,
  ContractFunctionRevertedError,
  createPublicClient,
  createWalletClient,
  defineChain,
  type Hex,
  http,
  keccak256,
  parseEther,
  toHex,
} from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { readArtefact } from '../contracts/artefact.ts'
import { COW_ADDRESS, COW_KEY, REGTEST_CHAIN_ID } from '../support/accounts.ts'
import { startNode } from '../support/nodeProcess.ts'
import { fetchVerifiedProof } from './proofs.ts'
import { balanceSlot, totalSupplySlot } from './tokenSlots.ts'

const SUPPLY = parseEther('1000000')

t.test('a viem client deploys, sends, reads and verifies', async (t) => {
  const node = await startNode({ dataDir: t.testdir() })
  t.teardown(() => node.stop())
  const chain = defineChain({
    id: REGTEST_CHAIN_ID,
    name: 'Rootstock regtest',
    nativeCurrency: { name: 'RBTC', symbol: 'RBTC', decimals: 18 },
    rpcUrls: { default: { http: [node.url] } },
  })
  const account = privateKeyToAccount(COW_KEY)
  const reader = createPublicClient({ chain, transport: http(), pollingInterval: 50 })
  const wallet = createWalletClient({ account, chain, transport: http() })
  const receiver = privateKeyToAccount(generatePrivateKey()).address
  const deploy = async (contract: 'Token' | 'Failures', args: unknown[]) => {
    const { abi, bytecode, deployedBytecode } = readArtefact(contract)
    const hash = await wallet.deployContract({ abi: abi as Abi, bytecode, args })
    const receipt = await reader.waitForTransactionReceipt({ hash })
    t.equal(receipt.status, 'success', `${contract} is deployed`)
    const address = receipt.contractAddress
    if (address === null || address === undefined) throw new Error('no contract address')
    t.equal(await reader.getCode({ address }), deployedBytecode, `${contract} has its code`)
    return { address, abi: abi as Abi, receipt }
  }

  t.equal(account.address.toLowerCase(), COW_ADDRESS)
  t.equal(await reader.getChainId(), REGTEST_CHAIN_ID)
  t.equal(await reader.getBalance({ address: account.address }), 10n ** 30n, 'the prefunded account')

  const token = await deploy('Token', [SUPPLY])
  const failures = await deploy('Failures', [])

  await t.test('a plain transfer', async (t) => {
    const before = await reader.getBalance({ address: account.address })
    const gas = await reader.estimateGas({ account, to: receiver, value: parseEther('2') })
    t.equal(gas, 21_000n)
    const hash = await wallet.sendTransaction({ to: receiver, value: parseEther('2') })
    const receipt = await reader.waitForTransactionReceipt({ hash })
    t.equal(receipt.gasUsed, 21_000n)
    t.equal(await reader.getBalance({ address: receiver }), parseEther('2'))
    const fee = receipt.gasUsed * receipt.effectiveGasPrice
    t.equal(await reader.getBalance({ address: account.address }), before - parseEther('2') - fee)
    const transaction = await reader.getTransaction({ hash })
    t.equal(transaction.from.toLowerCase(), COW_ADDRESS)
    t.equal(transaction.blockNumber, receipt.blockNumber)
  })

  await t.test('a token transfer, its receipt and its logs', async (t) => {
    const call = { ...token, functionName: 'transfer', args: [receiver, 1234n] } as const
    const gas = await reader.estimateContractGas({ ...call, account })
    const hash = await wallet.writeContract({ ...call, gas })
    const receipt = await reader.waitForTransactionReceipt({ hash })
    t.equal(receipt.status, 'success', 'the estimated gas is enough')
    t.ok(receipt.gasUsed <= gas)
    t.equal(receipt.logs.length, 1)
    const events = await reader.getContractEvents({
      ...token,
      eventName: 'Transfer',
      args: { to: receiver },
      fromBlock: token.receipt.blockNumber,
    })
    t.equal(events.length, 1)
    const [event] = events
    t.match(event, { transactionHash: hash, blockHash: receipt.blockHash })
    t.same((event as { args?: unknown } | undefined)?.args, {
      from: account.address,
      to: receiver,
      value: 1234n,
    })
    t.equal(await reader.readContract({ ...token, functionName: 'balanceOf', args: [receiver] }), 1234n)
    const block = await reader.getBlock({ blockHash: receipt.blockHash, includeTransactions: true })
    t.ok(block.transactions.some((transaction) => transaction.hash === hash))
  })

  await t.test('reasons and custom errors of failed calls', async (t) => {
    const failure = async (contract: { address: Hex; abi: Abi }, functionName: string, args: unknown[]) => {
      try {
        await reader.simulateContract({ ...contract, functionName, args, account })
      } catch (thrown) {
        const error =
          thrown instanceof BaseError ? thrown.walk((e) => e instanceof ContractFunctionRevertedError) : null
        if (!(error instanceof ContractFunctionRevertedError)) throw thrown
        return { errorName: error.data?.errorName, args: error.data?.args ?? [] }
      }
      throw new Error(`${functionName} did not fail`)
    }
    const long = 'a reason of more than thirty-two bytes, which takes two words'
    t.same(await failure(failures, 'withReason', [long]), { errorName: 'Error', args: [long] })
    const custom = { errorName: 'Refused', args: [account.address, 77n, 'no'] }
    t.same(await failure(failures, 'withError', [77n, 'no']), custom)
    t.same(await failure(failures, 'withBareError', []), { errorName: 'Bare', args: [] })
    const panic = (code: bigint) => ({ errorName: 'Panic', args: [code] })
    t.same(await failure(failures, 'overflow', [1n]), panic(0x11n))
    t.same(await failure(failures, 'divide', [1n, 0n]), panic(0x12n))
    t.same(await failure(failures, 'assertion', [false]), panic(0x01n))
    const poor = {
      errorName: 'InsufficientBalance',
      args: [account.address, SUPPLY - 1234n, SUPPLY * 2n],
    }
    t.same(await failure(token, 'transfer', [receiver, SUPPLY * 2n]), poor)
  })

  await t.test('a failed transaction has a receipt that says so', async (t) => {
    const hash = await wallet.writeContract({ ...failures, functionName: 'withBareError', gas: 100_000n })
    const receipt = await reader.waitForTransactionReceipt({ hash })
    t.equal(receipt.status, 'reverted')
    t.equal(receipt.logs.length, 0)
  })

  await t.test('proofs of accounts and cells', async (t) => {
    const slots = [
      balanceSlot(receiver),
      balanceSlot(account.address),
      totalSupplySlot,
      toHex(99n, { size: 32 }),
    ]
    const { exists, answer } = await fetchVerifiedProof(node, token.address.toLowerCase(), slots)
    t.ok(exists, 'the token')
    t.equal(answer.codeHash, keccak256(readArtefact('Token').deployedBytecode))
    t.same(
      answer.storageProof.map(({ value }) => BigInt(value)),
      [1234n, SUPPLY - 1234n, SUPPLY, 0n],
    )
    t.ok((await fetchVerifiedProof(node, receiver.toLowerCase(), [])).exists, 'an account without code')
    const stranger = privateKeyToAccount(generatePrivateKey()).address.toLowerCase()
    t.notOk((await fetchVerifiedProof(node, stranger, [toHex(0n, { size: 32 })])).exists, 'nobody')
    const genesis = await fetchVerifiedProof(node, token.address.toLowerCase(), [], 'earliest')
    t.notOk(genesis.exists, 'the token before its creation')
  })
})
