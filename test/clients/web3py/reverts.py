"""What web3.py makes of reverts; the address of the node is in NODE_URL."""

import json
import os
import pathlib
import unittest

from eth_abi import decode
from web3 import Web3
from web3.exceptions import ContractCustomError, ContractLogicError, ContractPanicError

ARTEFACT = json.loads((pathlib.Path(__file__).parents[2] / "contracts" / "Failures.json").read_text())


class Reverts(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.w3 = Web3(Web3.HTTPProvider(os.environ["NODE_URL"]))
        cls.sender = cls.w3.eth.accounts[0]
        made = cls.w3.eth.contract(abi=ARTEFACT["abi"], bytecode=ARTEFACT["bytecode"])
        transaction = {"from": cls.sender, "gas": 3_000_000, "gasPrice": cls.w3.eth.gas_price}
        receipt = cls.w3.eth.wait_for_transaction_receipt(made.constructor().transact(transaction))
        cls.functions = cls.w3.eth.contract(address=receipt["contractAddress"], abi=ARTEFACT["abi"]).functions
        # Behind block 449 the headers have another form.
        cls.w3.provider.make_request("hardhat_mine", ["0x1c8"])

    def fails(self, method, *args):
        """What a call and an estimate raise, which is of one kind."""
        bound = getattr(self.functions, method)(*args)
        raised = []
        for ask in (bound.call, bound.estimate_gas):
            with self.assertRaises(ContractLogicError, msg=f"{method} {ask.__name__}") as caught:
                ask({"from": self.sender})
            raised.append(caught.exception)
        self.assertEqual(type(raised[0]), type(raised[1]))
        self.assertEqual(raised[0].data, raised[1].data)
        return raised[0]

    def test_reasons(self):
        for reason in ("not today", "\u00fcmlaut: 1"):
            self.assertEqual(self.fails("withReason", reason).message, f"execution reverted: {reason}")

    def test_panics(self):
        for method, args, code in (("overflow", (1,), 0x11), ("divide", (1, 0), 0x12), ("assertion", (False,), 1)):
            error = self.fails(method, *args)
            self.assertIsInstance(error, ContractPanicError, method)
            self.assertEqual(int(error.data[10:], 16), code)

    def test_custom_errors(self):
        error = self.fails("withError", 7, "why")
        self.assertIsInstance(error, ContractCustomError)
        self.assertEqual(error.data[:10], Web3.keccak(text="Refused(address,uint256,string)")[:4].to_0x_hex())
        found = decode(["address", "uint256", "string"], bytes.fromhex(error.data[10:]))
        self.assertEqual(found, (self.sender.lower(), 7, "why"))
        bare = self.fails("withBareError")
        self.assertIsInstance(bare, ContractCustomError)
        self.assertEqual(bare.data, Web3.keccak(text="Bare()")[:4].to_0x_hex())

    def test_no_data(self):
        error = self.fails("withoutData")
        self.assertIs(type(error), ContractLogicError)
        self.assertIn("execution reverted", str(error))


if __name__ == "__main__":
    unittest.main()
