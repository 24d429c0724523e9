import { task } from 'hardhat/config'

task('accounts', 'Prints the accounts').setAction(async (_, { ethers }) => {
  for (const { address } of await ethers.getSigners()) process.stdout.write(`${address}\n`)
})

task('balance', 'Prints the balance of an account')
  .addParam('account')
  .setAction(async ({ account }, { ethers }) => {
    process.stdout.write(`${ethers.formatEther(await ethers.provider.getBalance(account))}\n`)
  })

task('block-number', 'Prints the number of the newest block').setAction(async (_, { ethers }) => {
  process.stdout.write(`${await ethers.provider.getBlockNumber()}\n`)
})

task('send', 'Sends coins')
  .addParam('recipient')
  .addParam('value')
  .setAction(async ({ recipient, value }, { ethers }) => {
    const [sender] = await ethers.getSigners()
    const sent = await sender.sendTransaction({ to: recipient, value: ethers.parseEther(value) })
    await sent.wait()
    process.stdout.write(`${sent.hash}\n`)
  })

task('mint', 'Mints tokens of a deployed contract')
  .addParam('contract')
  .addParam('recipient')
  .addParam('amount')
  .setAction(async ({ contract, recipient, amount }, { ethers }) => {
    const token = await ethers.getContractAt('Fungible', contract)
    await (await token.mint(recipient, amount)).wait()
    process.stdout.write(`${await token.balanceOf(recipient)}\n`)
  })
