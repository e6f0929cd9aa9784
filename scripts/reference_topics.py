"""The content and order of `chain/REFERENCE.md`: a topic for each class, and for each group of functions."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import Any, Final


@dataclass(frozen=True)
class Topic:
    """A class, or a group of functions and constants of a module."""

    path: str  # of the module and the class
    names: str = ""  # of the functions or constants; empty for a class
    like: str = ""  # a class whose names it shares, which are told there
    tools: str = ""  # names that tools use, and contract developers do not need
    title: str = ""

    @property
    def module(self) -> Any:
        """The module that has the class or the functions."""
        return import_module(self.path if self.names else self.path.rpartition(".")[0])

    @property
    def cls(self) -> Any:
        """The class that the topic is about."""
        return getattr(self.module, self.path.rpartition(".")[2])

    @property
    def heading(self) -> str:
        return self.title or f"`{self.path.rpartition('.')[2]}`"


@dataclass(frozen=True)
class Section:
    """A task of a user, and the names for it."""

    title: str
    text: str
    topics: tuple[Topic, ...]


_CONTRACT = "chain.runtime.contract.Contract"
_CHAIN = "chain.simulator.chain.Chain"
_SOURCE = "lock store table columns base item receipt finder contract_finder account_finder"

TOPICS: Final = (
    Section("Contracts", "A contract is a class; others call its marked methods. See [Contracts](guides/contracts.md).", (
        Topic("chain", "@init @call @view @event @error @model require keccak compiled", title="Marks and helpers"),
        Topic(_CONTRACT),
        Topic("chain.runtime.contract.BlockInfo", title="`self.block`"),
        Topic("chain.runtime.random.Random", title="`self.random`"),
        Topic("chain.storage.collections.Map"),
        Topic("chain.storage.collections.IterableMap"),
        Topic("chain.storage.collections.Vector"),
        Topic("chain.storage.collections.Set"),
        Topic("chain.types", "*", title="`chain.types`"),
        Topic("chain.types.Address"),
        Topic("chain.errors.Revert"),
        Topic("chain.errors.DeclarationError"),
    )),
    Section("The chain", "More in [Testing](guides/testing.md) and [Inspecting](guides/inspecting.md).", (
        Topic(_CHAIN, tools=(
            "settle lock view_block timeline_index program_at need_contract fields_of call rehearse driver ledger machine state"
            " record_changes mining need_code database with_rules is_held send_transaction send_raw add_to_open_block"
            " snapshot_at_end_of"
        )),
        Topic("chain.simulator.past.ChainAtBlock", like=_CHAIN, title="The past"),
        Topic("chain.ledger.blocks.Head", tools="blocks moments receipts open mining last"),
        Topic("chain.crypto.accounts.Account", like="chain.types.Address"),
        Topic("chain.ledger.blocks.Block", tools=(
            "rules end_receipt end_timeline_index first_receipt first_timeline_index forced_prevrandao row with_fields fork"
        )),
        Topic("chain.ledger.blocks.Blocks", tools="rows_from copy row mark rules"),
        Topic("chain.errors.InvalidTransaction"),
        Topic("chain.errors.LimitExceeded"),
    )),
    Section("Handles", "`chain.deploy` returns a handle; its attributes are the entries of the contract.", (
        Topic("chain.simulator.handle.Handle"),
        Topic("chain.simulator.handle.Entry", tools="spec simulate_calldata"),
        Topic("chain.simulator.handle.Overloads", like="chain.simulator.handle.Entry"),
        Topic("chain.simulator.handle.CallResult"),
        Topic("chain.errors.Reverted"),
        Topic("chain.machine.failure.Failure"),
    )),
    Section("Receipts and queries", "What happened, and how to ask. More in [Inspecting](guides/inspecting.md).", (
        Topic("chain.ledger.receipts.Receipt", tools=(
            "lock ledger row log_rows undone_log_rows call_rows changes undone_changes forced_random entry_spec program raw"
        )),
        Topic("chain.ledger.logs.EventList"),
        Topic("chain.ledger.receipt_log.ReceiptLog", tools=f"{_SOURCE} contains is_same"),
        Topic("chain.ledger.queries.Query", tools="lock matches found"),
        Topic("chain", "at_least at_most one_of containing", title="Comparisons"),
        Topic("chain.ledger.queries.Page"),
        Topic("chain.ledger.receipts.Log", tools="row"),
        Topic("chain.ledger.decoded.writes.Write", tools="format_path format steps names"),
        Topic("chain.ledger.decoded.trace.Trace", tools="ledger code_address"),
        Topic("chain.ledger.decoded.writes.Reading", like="chain.ledger.decoded.writes.Write"),
        Topic("chain.ledger.decoded.trace.LogStep", tools="row"),
        Topic("chain.ledger.calls.CallRecord"),
        Topic("chain.ledger.creations.DeployedContract"),
        Topic("chain.ledger.decoded.versions.Version"),
        Topic("chain.ledger.sql.result.QueryResult"),
        Topic("chain.ledger.sql.result.Row", tools="named"),
    )),
    Section("Worlds", "Models, systems and permissions, as in Dojo. More in [Worlds](guides/worlds.md).", (
        Topic("chain.runtime.system.System", like=_CONTRACT),
        Topic("chain.runtime.system.WorldModels", title="`self.world`"),
        Topic("chain.simulator.world_handle.WorldHandle"),
        Topic("chain.runtime.world.World", like=_CONTRACT, tools=(
            "new register_namespace has_namespace namespaces namespace_of grant_writer revoke_writer"
            " grant_owner revoke_owner is_writer is_owner may_write register system"
            " selector namespace other_namespaces uuids writers owners systems registered granted homes"
        )),
    )),
    Section("Testing", "More in [Testing](guides/testing.md), which also lists the fixtures of pytest.", (
        Topic("chain.testing", "reverts assert_events", title="`chain.testing`"),
        Topic("chain.testing.RevertInfo"),
    )),
    Section("Fuzzing", "`chain.fuzz` calls all entries at random and checks what must hold.", (
        Topic("chain.fuzz.Fuzz"),
        Topic("chain.fuzz", "@invariant proposes by", title="Marks"),
        Topic("chain.fuzz.Proposal"),
        Topic("chain.fuzz.report.Report", tools="lines count add to_json from_json"),
        Topic("chain.fuzz.failure.FuzzFailure"),
    )),
    Section("Transcripts", "`chain.replays` plays a recorded chain again. More in [Testing](guides/testing.md).", (
        Topic("chain.replays", "record replay check_transcript", title="`chain.replays`"),
        Topic("chain.replays.Replay"),
        Topic("chain.replays.Difference"),
        Topic("chain.replays.BadTranscript"),
    )),
    Section("Deployments", "A script has `def plan(deployment)`. More in [Deployments](guides/deployments.md).", (
        Topic("chain.deployment.Deployment", tools=(
            "display declare address_of finish gone adopted"
        )),
    )),
    Section("Mass play", "`chain.arena` plays thousands of games. More in [Mass play](guides/mass_play.md).", (
        Topic("chain.arena", "play result_of", title="`chain.arena`"),
        Topic("chain.arena.Plan", tools="from_json arrangements is_duel is_detailed is_checked seed"),
        Topic("chain.arena.Tally", tools="add to_json from_json"),
        Topic("chain.arena.tally.Share"),
        Topic("chain.arena.Store", tools="follow kept_tally add keep"),
        Topic("chain.arena.Game"),
        Topic("chain.arena.Table"),
        Topic("chain.arena.Strategy"),
        Topic("chain.arena.Greedy"),
        Topic("chain.arena.Uniform"),
        Topic("chain.arena.Result"),
        Topic("chain.arena.OtherPlan"),
    )),
    Section("Pictures", "A game's `picture(state)` draws its board. More in [The structure of a game](guides/game.md).", (
        Topic(
            "chain.pictures", "board_picture boards_of picture_of picture_of_parts picture_of_text load_ipython_extension",
            tools="load_ipython_extension", title="Finding and making pictures",
        ),
        Topic("chain.pictures.Picture"),
        Topic("chain.pictures.Part", tools="look sides"),
        Topic("chain.pictures.Boards"),
        Topic("chain.pictures", "rect circle path text group element join shorten", title="Shapes"),
        Topic("chain.pictures.Markup"),
    )),
    Section("Nodes", "A chain answers JSON-RPC in process, `chain.node`, and on a port. More in [Nodes](guides/node.md).", (
        Topic("chain.rpc.server.server.Server"),
        Topic("chain.rpc.server.server.Settings"),
        Topic("chain.rpc.eth_tester_backend.ChainBackend", tools=(
            "add_account call estimate_gas get_accounts get_balance get_block_by_hash get_block_by_number get_code"
            " get_fee_history get_nonce get_storage get_transaction_by_hash get_transaction_receipt mine_blocks"
            " reset_to_genesis revert_to_snapshot send_raw_transaction send_signed_transaction send_transaction"
            " take_snapshot time_travel"
        )),
    )),
)  # fmt: skip

MADE: Final = {  # classes that users call
    _CHAIN, "chain.types.Address", "chain.errors.Revert", "chain.fuzz.Proposal", "chain.deployment.Deployment",
    "chain.arena.Store", "chain.arena.Game", "chain.arena.Greedy", "chain.arena.Result", "chain.pictures.Part",
    "chain.rpc.server.server.Server",
    "chain.rpc.server.server.Settings", "chain.rpc.eth_tester_backend.ChainBackend",
}  # fmt: skip
