require('@nomicfoundation/hardhat-ethers')

module.exports = {
  solidity: '0.8.30',
  networks: { rhizome: { url: process.env.NODE_URL, chainId: 33 } },
  mocha: { timeout: 60000 },
}
