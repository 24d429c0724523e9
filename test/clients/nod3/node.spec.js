import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { nod3Creator, testNod3 } from './shared'

const nod3 = nod3Creator()
const { bytecode } = JSON.parse(readFileSync(join(__dirname, '../../../../contracts/Token.json'), 'utf8'))
const word = (value) => BigInt(value).toString(16).padStart(64, '0')
const SUPPLY = 1000n
const TRANSFER = `0xa9059cbb${word(1)}${word(7)}`
const TOTAL_SUPPLY = '0x18160ddd'

/** Every method of the client that its own tests do not take to a node. */
describe('# what an explorer asks', () => {
  let from, token, created, moved

  const send = async (fields) => {
    const hash = await nod3.rpc.sendMethod('eth_sendTransaction', [{ from, gas: '0x2dc6c0', ...fields }])
    for (;;) {
      const receipt = await nod3.eth.getTransactionReceipt(hash)
      if (receipt !== null) return receipt
    }
  }

  before(async () => {
    ;[from] = await nod3.rpc.sendMethod('eth_accounts', [])
    created = await send({ data: bytecode + word(SUPPLY) })
    token = created.contractAddress
    moved = await send({ to: token, data: TRANSFER })
  })

  it('the node listens', async () => {
    expect(await nod3.isConnected()).to.be.equal(true)
    expect(await nod3.net.listening()).to.be.equal(true)
  })

  it('receipts and logs are decimal', () => {
    expect(moved.status).to.be.equal('0x1')
    expect(moved.blockNumber).to.be.a('number')
    expect(moved.logs).to.have.length(1)
    const [log] = moved.logs
    expect(log.address).to.be.equal(token)
    expect(log.logIndex).to.be.equal(0)
    expect(BigInt(log.data)).to.be.equal(7n)
  })

  it('transactions by hash and index are the same', async () => {
    const byHash = await nod3.eth.getTransactionByHash(moved.transactionHash)
    const byIndex = await nod3.eth.getTransactionByIndex(moved.blockHash, moved.transactionIndex)
    const byNumber = await nod3.eth.getTransactionByIndex(moved.blockNumber, moved.transactionIndex)
    expect(byHash.input).to.be.equal(TRANSFER)
    expect(byHash).to.be.deep.equal(byIndex)
    expect(byHash).to.be.deep.equal(byNumber)
  })

  it('state at the newest block and at an earlier one', async () => {
    const at = `0x${(created.blockNumber - 1).toString(16)}`
    expect(await nod3.eth.getCode(token)).to.have.length.above(2)
    expect(await nod3.eth.getCode(token, at)).to.be.equal('0x')
    expect(await nod3.eth.getContractCodeAt(token)).to.be.equal(await nod3.eth.getCode(token))
    expect(BigInt(await nod3.eth.getStorageAt(token, '0x2'))).to.be.equal(SUPPLY)
    expect(BigInt(await nod3.eth.call({ to: token, data: TOTAL_SUPPLY }))).to.be.equal(SUPPLY)
    const count = await nod3.eth.getTransactionCount(from)
    expect(Number(count)).to.be.above(Number(await nod3.eth.getTransactionCount(from, at)))
    expect(BigInt(await nod3.eth.getBalance(from))).to.satisfy((balance) => balance > 0n)
  })

  it('traces of a transaction and of its block', async () => {
    const traces = await nod3.trace.transaction(moved.transactionHash)
    expect(traces.map(({ action }) => action.to)).to.be.deep.equal([token])
    const block = await nod3.trace.block(moved.blockHash)
    expect(block.filter(({ transactionHash }) => transactionHash === moved.transactionHash)).to.have.length(1)
    const { structLogs } = await nod3.debug.traceTransaction(moved.transactionHash)
    expect(structLogs).to.have.length.above(10)
  })

  it('the pool', async () => {
    const nonce = Number(await nod3.eth.getTransactionCount(from)) + 3
    const fields = { from, to: token, gas: '0x5208', nonce: `0x${nonce.toString(16)}` }
    const hash = await nod3.rpc.sendMethod('eth_sendTransaction', [fields])
    const { queued } = await nod3.txpool.content()
    expect(queued[from.slice(2)][nonce].map((transaction) => transaction.hash)).to.be.deep.equal([hash])
    expect((await nod3.txpool.status()).queued).to.be.equal(1)
    expect((await nod3.txpool.inspect()).queued).to.have.property(from.slice(2))
  })

  it('blocks of a height and sent bytes', async () => {
    const blocks = await nod3.rsk.getBlocksByNumber(`0x${moved.blockNumber.toString(16)}`)
    expect(blocks.map(({ hash, inMainChain }) => [hash, inMainChain])).to.be.deep.equal([
      [moved.blockHash, true],
    ])
    const [, other] = await nod3.rpc.sendMethod('eth_accounts', [])
    const nonce = `0x${Number(await nod3.eth.getTransactionCount(other)).toString(16)}`
    const fields = { from: other, to: from, value: '0x1', gas: '0x5208', gasPrice: '0x3938700', nonce }
    const { raw } = await nod3.rpc.sendMethod('eth_signTransaction', [fields])
    expect(await nod3.eth.sendRawTransaction(raw)).to.match(/^0x[0-9a-f]{64}$/)
  })

  it('it is in no synchronisation', async () => {
    expect(await nod3.eth.syncing()).to.be.equal(false)
  })

  testNod3(nod3, { blockNumber: 20 })
})
