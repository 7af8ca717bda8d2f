"""What a model costs: its weights, the cache of a text, and the work for one token.

None of it needs more than the plan, so that a bill can be written for a model that fits into no
memory of yours. Each sum is over the layers, since in one plan these may differ.
"""

from ..checks import check_whole, is_finite
from .choices import NORMS, POSITIONS
from .networks import NETWORKS
from .plan import Latent, Plan, State


def weights(plan: Plan) -> dict[str, int]:
    """How many weights each box holds, all layers together; their sum is the model's.

    A box holds its own norms too, those of queries, keys and latents. ``norms`` are the others.
    """
    return _weights_by_part(plan, working_alone=False)


def used_weights(plan: Plan, *, whole_tables: bool = False) -> dict[str, int]:
    """How many weights of each box one token uses: of the experts, those that work for it, and of
    the tables of tokens and positions, its row.

    A table that also makes the output, being tied, is used as a whole. whole_tables: count all rows
    of all tables, as some makers do (Mixtral's and Qwen3's) and others do not (those of gpt-oss).
    """
    used = _weights_by_part(plan, working_alone=True)
    if not whole_tables:
        used["positions"] = min(used["positions"], plan.d_model)
        if not plan.tied:
            used["embedding"] = plan.d_model
    return used


def cache_bytes(plan: Plan, tokens: int, bytes_each: float = 2) -> float:
    """What a text of so many tokens leaves behind, ``bytes_each`` for a number: keys and values, or
    latents, of all tokens or of a window's, and states, which take as much after the first token as
    after the last.
    """
    check_whole("tokens", tokens, 0)
    if not is_finite(bytes_each) or bytes_each <= 0:
        raise ValueError(f"bytes_each must be a number above 0; got {bytes_each!r:.30}")
    return sum(_cached(plan, place, tokens) for place in range(plan.n_layers)) * bytes_each


def multiplications(plan: Plan, tokens: int) -> int:
    """How many a decoder alone needs to write one token, behind a text that has so many with it.

    Every matrix that is used meets the token's vector once, and every query meets the keys and
    values in its reach, or the latents in their place. A state is written and read, and faded where
    it forgets. Norms, activations and the looking up of an embedding are not counted.

    Raises ValueError for a plan with an encoder.
    """
    check_whole("tokens", tokens, 1)
    if plan.encoder_layers:
        raise ValueError("a plan with an encoder: count a Transformer by its own shapes")
    layers = range(plan.n_layers)
    attention = sum(_attention_matrices(plan, place) for place in layers)
    attention += sum(_scores_and_mixing(plan, place, tokens) for place in layers)
    feed_forward = sum(
        _feed_forward(plan, place, working_alone=True, biases=False) for place in layers
    )
    return attention + feed_forward + plan.vocab_size * plan.d_model


def _weights_by_part(plan: Plan, working_alone: bool) -> dict[str, int]:
    places = list(range(plan.n_layers))
    attentions = places.copy()
    feed_forwards = places.copy()
    stacks = 1
    if plan.encoder_layers:  # then all layers are alike: 0 stands for any
        attentions += [0] * (plan.n_layers + plan.encoder_layers)  # the decoder's look twice
        feed_forwards += [0] * plan.encoder_layers
        stacks = 2
    norms = (len(attentions) + len(feed_forwards)) * (2 if plan.norm_after else 1)
    norms += stacks if plan.norm_first else 0
    norms += plan.embedding_norm

    def matrices_and_vectors(place: int) -> int:
        return _attention_matrices(plan, place) + _attention_vectors(plan, place)

    a_norm = plan.d_model * len(list(NORMS[plan.norm](1).parameters()))  # its vectors
    table = plan.vocab_size * plan.d_model
    return {
        "embedding": table,
        "positions": POSITIONS[plan.positions].weights(plan),
        "attention": sum(matrices_and_vectors(place) for place in attentions),
        "feed-forward": sum(_feed_forward(plan, place, working_alone) for place in feed_forwards),
        "norms": norms * a_norm,
        "output": 0 if plan.tied else table,
    }


def _attention_matrices(plan: Plan, place: int) -> int:
    """What the matrices of a layer's attention hold."""
    state = plan.state_at(place)
    if state:
        return _state_matrices(plan, state)
    wide = plan.n_heads * plan.size_of_value  # what comes out of the heads
    out = plan.d_model * wide * (1 + plan.output_gate)
    if plan.latent:
        return out + _latent_matrices(plan, plan.latent)
    keys_and_values = plan.groups * (plan.size_of_head + plan.size_of_value)
    return out + plan.d_model * (plan.n_heads * plan.size_of_head + keys_and_values)


def _state_matrices(plan: Plan, state: State) -> int:
    n_heads, _, value = plan.size_of_state
    inputs = sum(plan.state_inputs)
    shares = n_heads * (state.forget + state.delta)
    out = n_heads * value * (1 + plan.output_gate)
    return plan.d_model * (inputs + shares + out) + inputs * (state.convolution or 0)


def _latent_matrices(plan: Plan, latent: Latent) -> int:
    queries = plan.n_heads * (plan.size_of_head + latent.d_rotary)
    asked = plan.d_model * queries
    if latent.d_query:
        asked = latent.d_query * (plan.d_model + queries)
    keys_and_values = plan.n_heads * (plan.size_of_head + plan.size_of_value)
    made = plan.d_model * (latent.d_latent + latent.d_rotary) + latent.d_latent * keys_and_values
    return asked + made


def _attention_vectors(plan: Plan, place: int) -> int:
    """What else a layer's attention holds: biases, norms of its own, and sinks."""
    state = plan.state_at(place)
    if state:
        n_heads, _, value = plan.size_of_state
        return 2 * state.forget * n_heads + value
    sinks = plan.sink * plan.n_heads
    if plan.latent:
        return sinks + plan.latent.d_latent + (plan.latent.d_query or 0)
    query = plan.size_of_head
    held = sinks + plan.qk_norm * 2 * query
    if plan.attention_bias != "none":
        held += (plan.n_heads + plan.groups) * query + plan.groups * plan.size_of_value
    if plan.attention_bias == "all":
        held += plan.d_model
    return held


def _feed_forward(plan: Plan, place: int, working_alone: bool, biases: bool = True) -> int:
    """What a layer's feed-forward network holds, or its router and its networks: all of them, or
    those that work for one token alone.
    """
    experts = plan.experts_at(place)
    if experts is None:
        return _dense(plan, plan.d_ff, biases)
    networks = experts.n_shared + (experts.top_k if working_alone else experts.n_experts)
    held = networks * _dense(plan, experts.d_ff or plan.d_ff, biases)
    held += plan.d_model * (experts.n_experts + experts.shared_gate)  # the router, the gate
    if biases and plan.feed_forward_bias:
        held += experts.n_experts
    if biases and experts.balance:
        held += experts.n_experts
    return held


def _dense(plan: Plan, d_ff: int, biases: bool) -> int:
    matrices = NETWORKS[plan.gated].matrices
    held = matrices * plan.d_model * d_ff
    if biases and plan.feed_forward_bias:
        held += (matrices - 1) * d_ff + plan.d_model
    return held


def _reach(plan: Plan, place: int, tokens: int) -> int:
    """How many of so many tokens a layer's query can look at."""
    window = plan.window_at(place)
    return tokens if window is None else min(tokens, window)


def _cached(plan: Plan, place: int, tokens: int) -> int:
    """How many numbers a layer keeps of a text."""
    state = plan.state_at(place)
    if state:
        n_heads, key, value = plan.size_of_state
        before = (state.convolution or 1) - 1
        return n_heads * key * value + before * sum(plan.state_inputs)
    reach = _reach(plan, place, tokens)
    if plan.latent:
        return reach * (plan.latent.d_latent + plan.latent.d_rotary)
    return reach * plan.groups * (plan.size_of_head + plan.size_of_value)


def _scores_and_mixing(plan: Plan, place: int, tokens: int) -> int:
    """How many multiplications one token's scores and mixtures take in a layer."""
    state = plan.state_at(place)
    if state:
        n_heads, key, value = plan.size_of_state
        times = 2 + state.forget + state.delta  # written, read; faded; asked what is there
        return times * n_heads * key * value
    reach = plan.n_heads * _reach(plan, place, tokens)
    if plan.latent:
        return reach * (2 * plan.latent.d_latent + plan.latent.d_rotary)
    return reach * (plan.size_of_head + plan.size_of_value)
