import toolbox from '@nomicfoundation/hardhat-toolbox-mocha-ethers'
import { defineConfig } from 'hardhat/config'
import { common } from './config.js'
import { withoutMinersTransaction } from './minersTransaction.js'

// biome-ignore lint/style/noDefaultExport: Hardhat asks for it.
export default defineConfig({
  ...common,
  plugins: [toolbox, withoutMinersTransaction],
  paths: { tests: { mocha: 'tests/ethers' } },
  test: { mocha: { timeout: 120_000 } },
})
