const {
  balance,
  BN,
  constants,
  ether,
  expectEvent,
  expectRevert,
  makeInterfaceId,
  send,
  snapshot,
  time,
} = require('@openzeppelin/test-helpers')
const { expect } = require('chai')

const Collection = artifacts.require('Collection')
const Shares = artifacts.require('Shares')

contract('Shares', ([owner, buyer, other]) => {
  it('is deployed by the migration, with its library', async () => {
    const shares = await Shares.deployed()
    expect(await shares.totalSupply()).to.be.bignumber.equal(new BN(1000))
    expect(await shares.owner()).to.equal(owner)
    const receipt = await web3.eth.getTransactionReceipt(Shares.network.transactionHash)
    expect(receipt.contractAddress).to.equal(shares.address)
  })

  describe('of its own', () => {
    let shares

    beforeEach(async () => {
      shares = await Shares.new(1000, { from: owner })
    })

    it('emits events', async () => {
      const receipt = await shares.buy({ from: buyer, value: '3' })
      expectEvent(receipt, 'Bought', { buyer, paid: '3', got: '300' })
      expectEvent(receipt, 'Transfer', { from: constants.ZERO_ADDRESS, to: buyer, value: '300' })
      expectEvent.notEmitted(receipt, 'Approval')
      await expectEvent.inTransaction(receipt.tx, shares, 'Bought', { buyer })
      await expectEvent.inTransaction(shares.transactionHash, shares, 'Transfer', {
        to: owner,
        value: '1000',
      })
    })

    it('reverts with a reason', async () => {
      await expectRevert(shares.buy({ from: buyer }), 'Shares: nothing paid')
      // The helper compares reasons: it takes no other one.
      const thrown = await expectRevert(shares.buy({ from: buyer }), 'Shares: closed').catch((error) => error)
      expect(thrown.message).to.include('Wrong kind of exception received')
      await expectRevert.unspecified(shares.buy({ from: buyer }))
    })

    it('reverts with custom errors and panics', async () => {
      await expectRevert.unspecified(shares.pause({ from: other }))
      await expectRevert.unspecified(shares.transfer(other, 1, { from: buyer }))
      await expectRevert.unspecified(shares.half(1, 0))
      await expectRevert.unspecified(shares.notUnreachable())
    })

    it('reverts with a transaction that was mined', async () => {
      const thrown = await shares.buy({ from: buyer, gas: 200_000 }).catch((error) => error)
      expect(thrown.message).to.include('Shares: nothing paid')
    })

    it('closes when its time has come', async () => {
      const before = await snapshot()
      await time.increaseTo(await shares.closes())
      await expectRevert(shares.buy({ from: buyer, value: '1' }), 'Shares: closed')
      await before.restore()
      await shares.buy({ from: buyer, value: '1' })
    })

    it('moves ether', async () => {
      const [tracker, swept] = await Promise.all([balance.tracker(buyer), balance.tracker(other)])
      await shares.buy({ from: buyer, value: ether('1') })
      const { delta, fees } = await tracker.deltaWithFees()
      expect(delta.add(fees)).to.be.bignumber.equal(ether('-1'))
      await shares.sweep(other, { from: owner })
      expect(await swept.delta()).to.be.bignumber.equal(ether('1'))
      await send.ether(other, buyer, ether('1'))
    })

    it('is asked for past events', async () => {
      await shares.buy({ from: buyer, value: '1' })
      const { receipt } = await shares.buy({ from: other, value: '2' })
      const found = await shares.getPastEvents('Bought', { fromBlock: 0, filter: { buyer: other } })
      expect(found.map(({ args }) => args.got.toString())).to.deep.equal(['200'])
      expect(found[0].blockNumber).to.equal(receipt.blockNumber)
    })

    it('estimates, and calls with other senders', async () => {
      expect(await shares.buy.estimateGas({ from: buyer, value: '1' })).to.be.greaterThan(21_000)
      expect(await shares.half.call(9, 2, { from: other })).to.be.bignumber.equal(new BN(4))
      await shares.pause({ from: owner })
      expect(await shares.paused()).to.equal(true)
    })
  })
})

contract('Collection', ([owner, other]) => {
  it('mints and says which interfaces it has', async () => {
    const collection = await Collection.deployed()
    const receipt = await collection.mint(owner, 1)
    expectEvent(receipt, 'Transfer', { to: owner, tokenId: '1' })
    expect(await collection.ownerOf(1)).to.equal(owner)
    const ids = ['balanceOf(address)', 'ownerOf(uint256)', 'approve(address,uint256)', 'getApproved(uint256)']
    ids.push('setApprovalForAll(address,bool)', 'isApprovedForAll(address,address)')
    ids.push('transferFrom(address,address,uint256)', 'safeTransferFrom(address,address,uint256)')
    ids.push('safeTransferFrom(address,address,uint256,bytes)')
    expect(await collection.supportsInterface(makeInterfaceId.ERC165(ids))).to.equal(true)
    await collection.safeTransferFrom(owner, other, 1)
    await expectRevert.unspecified(collection.transferFrom(other, owner, 1, { from: owner }))
    await expectRevert.unspecified(collection.mint(collection.address, 2))
  })
})
