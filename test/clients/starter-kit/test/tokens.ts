// What users do with the kit: deployment by tags, tokens of every standard, tasks on the command line.
import { execFileSync } from 'node:child_process'
import { expect } from 'chai'
import { deployments, ethers, getNamedAccounts } from 'hardhat'

const command = (...args: string[]): string =>
  execFileSync(process.execPath, ['node_modules/hardhat/internal/cli/cli.js', ...args], {
    encoding: 'utf8',
  }).trim()

const setup = deployments.createFixture(async () => {
  await deployments.fixture(['tokens'])
  const at = async (name: string) => (await deployments.get(name)).address
  return {
    signers: await ethers.getSigners(),
    fungible: await ethers.getContractAt('Fungible', await at('Fungible')),
    collectible: await ethers.getContractAt('Collectible', await at('Collectible')),
    items: await ethers.getContractAt('Items', await at('Items')),
  }
})

describe('ERC-20', () => {
  it('has what it was deployed with', async () => {
    const { fungible } = await setup()
    const { owner } = await getNamedAccounts()
    expect(await fungible.symbol()).to.equal('FUN')
    expect(await fungible.owner()).to.equal(owner)
    expect(await fungible.balanceOf(owner)).to.equal(1_000_000)
  })

  it('mints for its owner alone', async () => {
    const { fungible, signers } = await setup()
    await expect(fungible.mint(signers[1], 5))
      .to.emit(fungible, 'Transfer')
      .withArgs(ethers.ZeroAddress, signers[1], 5)
    await expect(fungible.connect(signers[1]).mint(signers[1], 5))
      .to.be.revertedWithCustomError(fungible, 'OwnableUnauthorizedAccount')
      .withArgs(signers[1].address)
  })

  it('transfers, approves, burns', async () => {
    const { fungible, signers } = await setup()
    const [owner, spender, other] = signers
    await fungible.approve(spender, 10)
    await fungible.connect(spender).transferFrom(owner, other, 4)
    expect(await fungible.allowance(owner, spender)).to.equal(6)
    await fungible.connect(other).burn(3)
    expect(await fungible.balanceOf(other)).to.equal(1)
    await expect(fungible.connect(other).burn(3))
      .to.be.revertedWithCustomError(fungible, 'ERC20InsufficientBalance')
      .withArgs(other.address, 1, 3)
  })

  it('pauses', async () => {
    const { fungible, signers } = await setup()
    await fungible.setPaused(true)
    await expect(fungible.transfer(signers[1], 1)).to.be.revertedWithCustomError(fungible, 'EnforcedPause')
    await fungible.setPaused(false)
    await fungible.transfer(signers[1], 1)
  })
})

describe('ERC-721', () => {
  it('mints tokens with numbers and addresses', async () => {
    const { collectible, signers } = await setup()
    await collectible.mint(signers[1])
    await collectible.mint(signers[2])
    expect(await collectible.ownerOf(2)).to.equal(signers[2].address)
    expect(await collectible.tokenURI(1)).to.equal('ipfs://base/1')
    await collectible.setBaseURI('https://example.org/')
    expect(await collectible.tokenURI(1)).to.equal('https://example.org/1')
    await expect(collectible.tokenURI(3))
      .to.be.revertedWithCustomError(collectible, 'ERC721NonexistentToken')
      .withArgs(3)
  })

  it('passes tokens on', async () => {
    const { collectible, items, signers } = await setup()
    await collectible.mint(signers[1])
    const held = collectible.connect(signers[1])
    await held.approve(signers[3], 1)
    await collectible.connect(signers[3]).transferFrom(signers[1], signers[2], 1)
    expect(await collectible.tokenOfOwnerByIndex(signers[2], 0)).to.equal(1)
    await expect(
      held['safeTransferFrom(address,address,uint256)'](signers[2], signers[1], 1),
    ).to.be.revertedWithCustomError(collectible, 'ERC721InsufficientApproval')
    await expect(collectible.mint(items)).to.be.revertedWithCustomError(collectible, 'ERC721InvalidReceiver')
  })
})

describe('ERC-1155', () => {
  it('mints and moves batches', async () => {
    const { items, signers } = await setup()
    const [owner, first, second] = signers
    await expect(items.mintBatch(first, [1, 2], [10, 20]))
      .to.emit(items, 'TransferBatch')
      .withArgs(owner.address, ethers.ZeroAddress, first.address, [1, 2], [10, 20])
    await items.connect(first).safeBatchTransferFrom(first, second, [1, 2], [4, 5], '0x')
    expect([...(await items.balanceOfBatch([first, second], [1, 2]))]).to.deep.equal([6n, 5n])
    expect(await items['totalSupply(uint256)'](2)).to.equal(20)
    await expect(items.safeTransferFrom(first, second, 1, 1, '0x')).to.be.revertedWithCustomError(
      items,
      'ERC1155MissingApprovalForAll',
    )
  })
})

describe('the command line', () => {
  const recipient = `0x${'5e'.repeat(20)}`

  it('deploys by tag', () => {
    const printed = command('deploy', '--tags', 'tokens', '--reset')
    expect(printed.match(/deployed at 0x[0-9a-fA-F]{40} with \d+ gas/g)).to.have.length(3)
  })

  it('tells accounts, balances and blocks', async () => {
    const [first] = await ethers.getSigners()
    expect(command('accounts').split('\n')[0]).to.equal(first.address)
    expect(Number(command('balance', '--account', first.address))).to.be.greaterThan(0)
    expect(Number(command('block-number'))).to.equal(await ethers.provider.getBlockNumber())
  })

  it('sends and mints', async () => {
    const before = await ethers.provider.getBalance(recipient)
    const hash = command('send', '--recipient', recipient, '--value', '0.25')
    expect((await ethers.provider.getTransactionReceipt(hash))?.status).to.equal(1)
    expect(await ethers.provider.getBalance(recipient)).to.equal(before + 25n * 10n ** 16n)
    const { fungible } = await setup()
    const printed = command(
      'mint',
      '--contract',
      await fungible.getAddress(),
      '--recipient',
      recipient,
      '--amount',
      '77',
    )
    expect(printed).to.equal('77')
  })
})
