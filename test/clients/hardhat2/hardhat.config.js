const { extendProvider, subtask } = require('hardhat/config')
const { TASK_COMPILE_SOLIDITY_GET_SOLC_BUILD } = require('hardhat/builtin-tasks/task-names')
const solc = require('solc/package.json')
const { WithoutMinersTransaction } = require('./minersTransaction.js')

require('@nomicfoundation/hardhat-toolbox')
require('@nomicfoundation/hardhat-viem')
require('hardhat-deploy')

// The compiler is the package of the lock file, so that Hardhat downloads none.
subtask(TASK_COMPILE_SOLIDITY_GET_SOLC_BUILD, async () => ({
  version: solc.version,
  longVersion: solc.version,
  compilerPath: require.resolve('solc/soljson.js'),
  isSolcJs: true,
}))

extendProvider(async (provider) => new WithoutMinersTransaction(provider))

module.exports = {
  solidity: { version: solc.version, settings: { evmVersion: 'cancun', optimizer: { enabled: true } } },
  defaultNetwork: 'rhizome',
  networks: { rhizome: { url: process.env.NODE_URL, chainId: 33, saveDeployments: false } },
  namedAccounts: { deployer: 0, user: 1 },
  ignition: { requiredConfirmations: 1, blockPollingInterval: 50 },
  mocha: { timeout: 120000 },
}
