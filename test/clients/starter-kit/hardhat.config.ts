import '@nomicfoundation/hardhat-toolbox'
import 'hardhat-deploy'
import { id } from 'ethers'
import { TASK_COMPILE_SOLIDITY_GET_SOLC_BUILD } from 'hardhat/builtin-tasks/task-names'
import { subtask } from 'hardhat/config'
import './tasks/tokens'

// The compiler is the package of the lock file, so that Hardhat downloads none.
subtask(TASK_COMPILE_SOLIDITY_GET_SOLC_BUILD, async () => ({
  version: '0.8.25',
  longVersion: '0.8.25',
  compilerPath: require.resolve('solc/soljson.js'),
  isSolcJs: true,
}))

// Accounts by their keys, as on public networks: those that every regtest chain gives coins.
const accounts = ['cow', 'cow1', 'cow2', 'cow3'].map((secret) => id(secret))

const config = {
  solidity: '0.8.25',
  defaultNetwork: 'rhizome',
  networks: {
    rhizome: { url: process.env.NODE_URL ?? '', chainId: 33, gasPrice: 60_000_000, accounts },
  },
  namedAccounts: { deployer: 0, owner: 0 },
  mocha: { timeout: 120_000 },
}

// biome-ignore lint/style/noDefaultExport: Hardhat asks for it.
export default config
