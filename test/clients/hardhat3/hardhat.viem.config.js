import toolbox from '@nomicfoundation/hardhat-toolbox-viem'
import { defineConfig } from 'hardhat/config'
import { common } from './config.js'

// biome-ignore lint/style/noDefaultExport: Hardhat asks for it.
export default defineConfig({ ...common, plugins: [toolbox], paths: { tests: { nodejs: 'tests/viem' } } })
