"""A script of titanoboa on a network: Vyper contracts of its own; the address of the node is in NODE_URL."""

import os
import unittest

import boa
from boa.network import EthereumRPC
from eth_account import Account

VAULT = """
# pragma version ~=0.4.0
event Stored:
    by: indexed(address)
    amount: uint256

struct Entry:
    by: address
    amount: uint256

total: public(uint256)
entries: public(DynArray[Entry, 8])

@deploy
@payable
def __init__(total: uint256):
    self.total = total

@external
@payable
def store(amount: uint256) -> uint256:
    assert amount > 0, "nothing to store"
    self.total += amount
    self.entries.append(Entry(by=msg.sender, amount=amount))
    log Stored(by=msg.sender, amount=amount)
    return self.total

@external
def give_up():
    assert self.total == 1

@external
@view
def sum() -> uint256:
    found: uint256 = 0
    for entry: Entry in self.entries:
        found += entry.amount
    return found
"""


class Network(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.rpc = EthereumRPC(os.environ["NODE_URL"])
        # Behind block 449 the headers have another form.
        cls.rpc.fetch("hardhat_mine", ["0x1c8"])
        cls.network = boa.set_network_env(os.environ["NODE_URL"])
        cls.enterClassContext(cls.network)
        boa.env.add_accounts_from_rpc(cls.rpc)
        cls.bank = boa.env.eoa
        cls.vault = cls.deploy(100)

    @staticmethod
    def deploy(*args):
        # Opcodes up to Paris are those of the network.
        return boa.loads(VAULT, *args, compiler_args={"evm_version": "paris"})

    def test_a_deployment_has_its_values(self):
        vault = self.deploy(7)
        self.assertEqual(vault.total(), 7)
        self.assertGreater(len(boa.env.get_code(vault.address)), 100)

    def test_a_transaction_changes_the_contract_and_returns_its_value(self):
        before = self.vault.total()
        self.assertEqual(self.vault.store(5), before + 5)
        self.assertEqual(self.vault.total(), before + 5)
        self.assertGreaterEqual(self.vault.sum(), 5)

    def test_logs_are_decoded(self):
        self.vault.store(11)
        (log,) = self.vault.get_logs()
        self.assertEqual((log.by, log.amount), (self.bank, 11))

    def test_reasons_of_reverts(self):
        with boa.reverts("nothing to store"):
            self.vault.store(0)

    def test_a_revert_without_a_reason(self):
        with self.assertRaises(boa.BoaError):
            self.vault.give_up()

    def test_another_sender_and_local_keys(self):
        account = Account.create()
        boa.env.add_account(account)
        self.rpc.fetch("hardhat_setBalance", [account.address, hex(10**18)])
        with boa.env.prank(account.address):
            self.vault.store(3)
        (log,) = self.vault.get_logs()
        self.assertEqual(log.by, account.address)
        self.assertEqual(int(self.rpc.fetch("eth_getTransactionCount", [account.address, "latest"]), 16), 1)

    def test_anchors_are_gone_back_to(self):
        before = self.vault.total()
        with boa.env.anchor():
            self.vault.store(50)
            self.assertEqual(self.vault.total(), before + 50)
        self.assertEqual(self.vault.total(), before)

    def test_money_goes_with_a_call(self):
        before = int(self.rpc.fetch("eth_getBalance", [self.vault.address, "latest"]), 16)
        self.vault.store(1, value=9)
        self.assertEqual(int(self.rpc.fetch("eth_getBalance", [self.vault.address, "latest"]), 16), before + 9)

    def test_contracts_that_are_there_are_used(self):
        same = self.vault.deployer.at(self.vault.address)
        self.assertEqual(same.total(), self.vault.total())

    def test_what_the_network_can(self):
        self.assertTrue(boa.env._rpc_has_snapshot)
        self.assertEqual(boa.env.get_chain_id(), 33)


if __name__ == "__main__":
    unittest.main()
