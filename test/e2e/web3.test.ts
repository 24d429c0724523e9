import t from 'tap'
import { Web3 } from 'web3'
import { readArtefact } from '../contracts/artefact.ts'
import { COW_ADDRESS, COW_KEY, REGTEST_CHAIN_ID } from '../support/accounts.ts'
import { startNode } from '../support/nodeProcess.ts'

const SUPPLY = 10n ** 21n

t.test('a web3.js client deploys, sends, reads, watches and decodes failures', async (t) => {
  const node = await startNode({ dataDir: t.testdir() })
  t.teardown(() => node.stop())
  const web3 = new Web3(node.url)
  web3.setConfig({ transactionPollingInterval: 50, defaultTransactionType: '0x0' })
  const account = web3.eth.accounts.privateKeyToAccount(COW_KEY)
  web3.eth.accounts.wallet.add(account)
  const from = account.address
  const receiver = web3.eth.accounts.create().address
  const deploy = async (name: 'Token' | 'Failures', args: unknown[]) => {
    const { abi, bytecode, deployedBytecode } = readArtefact(name)
    const contract = new web3.eth.Contract(abi as [])
    const gas = await contract.deploy({ data: bytecode, arguments: args as [] }).estimateGas({ from })
    const deployed = await contract
      .deploy({ data: bytecode, arguments: args as [] })
      .send({ from, gas: String(gas) })
    t.equal(
      await web3.eth.getCode(String(deployed.options.address)),
      deployedBytecode,
      `${name} has its code`,
    )
    return deployed
  }

  t.equal(from.toLowerCase(), COW_ADDRESS)
  t.equal(await web3.eth.getChainId(), BigInt(REGTEST_CHAIN_ID))
  t.equal(await web3.eth.getBalance(from), 10n ** 30n)
  const token = await deploy('Token', [SUPPLY])
  const failures = await deploy('Failures', [])
  const method = (contract: typeof token, name: string, ...args: unknown[]) => {
    const make = (contract.methods as Record<string, ((...values: unknown[]) => Method) | undefined>)[name]
    if (make === undefined) throw new Error(`no method ${name}`)
    return make(...args)
  }

  await t.test('a transfer, and a transfer of tokens with its log', async (t) => {
    const paid = await web3.eth.sendTransaction({ from, to: receiver, value: '5', gas: '21000' })
    t.equal(paid.status, 1n)
    t.equal(await web3.eth.getBalance(receiver), 5n)
    const transfer = method(token, 'transfer', receiver, 12n)
    const receipt = await transfer.send({ from, gas: String(await transfer.estimateGas({ from })) })
    t.equal(await method(token, 'balanceOf', receiver).call(), 12n)
    const events = await token.getPastEvents('Transfer' as 'ALLEVENTS', {
      filter: { to: receiver },
      fromBlock: 0,
    })
    t.equal(events.length, 1)
    t.match(events[0], { transactionHash: receipt.transactionHash, returnValues: { value: 12n } })
    const block = await web3.eth.getBlock(receipt.blockHash, true)
    t.match(block.transactions, [{ hash: receipt.transactionHash }])
  })

  await t.test('reasons and custom errors', async (t) => {
    const failure = (contract: typeof token, name: string, ...args: unknown[]) =>
      method(contract, name, ...args)
        .call({ from })
        .then(
          () => t.fail(`${name} did not fail`),
          (error: unknown) => error,
        )
    const reason = (await failure(failures, 'withReason', 'it is closed')) as { innerError?: Error }
    t.match(String(reason.innerError?.message), /^execution reverted: it is closed$/)
    const custom = (await failure(failures, 'withError', 3n, 'no')) as { innerError?: unknown }
    t.match(custom.innerError, { errorName: 'Refused', errorArgs: { code: 3n, reason: 'no' } })
  })

  await t.test('heads and logs over a WebSocket', async (t) => {
    const watching = new Web3(node.url.replace('http', 'ws'))
    t.teardown(() => watching.provider?.disconnect())
    const heads = await watching.eth.subscribe('newBlockHeaders')
    const logs = await watching.eth.subscribe('logs', { address: String(token.options.address) })
    const head = new Promise<{ number?: unknown }>((resolve) => heads.once('data', resolve))
    const log = new Promise<unknown>((resolve) => logs.once('data', resolve))
    const { transactionHash, blockNumber } = await method(token, 'transfer', receiver, 1n).send({
      from,
      gas: '100000',
    })
    t.match(await log, { transactionHash })
    t.equal((await head).number, blockNumber)
    await heads.unsubscribe()
    await logs.unsubscribe()
  })
})

/** What is used of a contract's method: its own type depends on an ABI that is known when compiling. */
interface Method {
  call(options?: object): Promise<unknown>
  estimateGas(options: object): Promise<bigint>
  send(options: object): Promise<{ transactionHash: string; blockHash: string; blockNumber: bigint }>
}
