"""The feed-forward network, alone or as one of many.

A dense network works for every token. In a ``Mixture`` there are many, a ``Router`` chooses a few
for each token, and only these compute anything: what a model *knows* grows with the number of its
networks, what a token *costs* with the number that is chosen.
"""

import torch
from torch import Tensor, nn

from .choices import ACTIVATIONS
from .plan import Plan


class TwoLayers(nn.Sequential):
    """W_out act(W_in x), as in the paper. ``(..., d_model)`` -> ``(..., d_model)``.

    d_ff: its width; the plan's unless given.
    """

    matrices = 2

    def __init__(self, plan: Plan, d_ff: int | None = None):
        d_ff = d_ff or plan.d_ff
        super().__init__(
            nn.Linear(plan.d_model, d_ff, bias=plan.feed_forward_bias),
            ACTIVATIONS[plan.activation](),
            nn.Linear(d_ff, plan.d_model, bias=plan.feed_forward_bias),
        )


class Gated(nn.Module):
    """W_out (act(W_gate x) · W_in x): one product opens or shuts the other (Shazeer, 2020). ``(...,
    d_model)`` -> ``(..., d_model)``.

    d_ff: its width; the plan's unless given.
    """

    matrices = 3

    def __init__(self, plan: Plan, d_ff: int | None = None):
        super().__init__()
        d_ff = d_ff or plan.d_ff
        bias = plan.feed_forward_bias
        self.gate = nn.Linear(plan.d_model, d_ff, bias=bias)
        self.into = nn.Linear(plan.d_model, d_ff, bias=bias)
        self.out = nn.Linear(d_ff, plan.d_model, bias=bias)
        self.activation = ACTIVATIONS[plan.activation]()

    def forward(self, x: Tensor) -> Tensor:
        """x: ``(..., d_model)``. Returns the same shape."""
        return self.out(self.activation(self.gate(x)) * self.into(x))


NETWORKS = {False: TwoLayers, True: Gated}


class Router(nn.Module):
    """Which experts work for a token, and what share of the answer each has.

    A matrix gives every expert a score, and the highest ``top_k`` work. Where the plan asks for
    balance, each expert has a bias, ``favour``, which is added to its score for the choice and for
    nothing else (DeepSeek-V3, 2024, section 2.1.2, which takes sigmoids for scores). It has no
    gradient. Instead, ``even_out`` raises it a little, after each step of training, for the experts
    that had less than their part of the tokens since the step before, and lowers it for the others.
    A pass in training mode that has gradients counts them, and moves nothing.

    Raises ValueError for a plan without experts.
    """

    load: Tensor  # a buffer, int64: how many tokens each expert has had since the last step

    def __init__(self, plan: Plan):
        super().__init__()
        if plan.experts is None:
            raise ValueError("this plan has no experts: give it experts=Experts(n_experts, top_k)")
        self.experts = plan.experts
        n_experts = plan.experts.n_experts
        self.matrix = nn.Linear(plan.d_model, n_experts, bias=plan.feed_forward_bias)
        # A parameter, so that it is saved with the weights; no gradient moves it
        favour = nn.Parameter(torch.zeros(n_experts), requires_grad=False)
        self.favour = favour if plan.experts.balance else None
        self.register_buffer("load", torch.zeros(n_experts, dtype=torch.int64), persistent=False)

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        """x: ``(..., d_model)``. Returns which experts are chosen, int64, and their shares, in x's
        dtype, both ``(..., top_k)``; with a softmax over the chosen, a token's shares sum to 1.
        """
        scores = self.matrix(x)  # (..., n_experts)
        wanted = scores if self.favour is None else scores + self.favour
        chosen = wanted.topk(self.experts.top_k, dim=-1).indices
        if self.favour is not None and self.training and torch.is_grad_enabled():
            self.load += torch.bincount(chosen.flatten(), minlength=self.experts.n_experts)
        if self.experts.softmax_over == "all":
            return chosen, scores.softmax(dim=-1).gather(-1, chosen)
        return chosen, scores.gather(-1, chosen).softmax(dim=-1)

    @torch.no_grad()
    def even_out(self) -> None:
        """Move ``favour`` by one step, against the load since the last one."""
        if self.favour is not None:
            load = self.load.float()
            self.favour += self.experts.balance * (load.mean() - load).sign()
            self.load.zero_()


def even_out(model: nn.Module) -> None:
    """Move the balance of all experts in a model by one step. Call it after each step of the
    optimizer.
    """
    for part in model.modules():
        if isinstance(part, Router):
            part.even_out()


class Mixture(nn.Module):
    """Many networks, of which those that the router chooses are asked (Shazeer et al., 2017,
    equation 1), and shared ones, which always are (DeepSeekMoE, 2024, section 3.2). ``(...,
    d_model)`` -> ``(..., d_model)``.

    Raises ValueError for a plan without experts.
    """

    def __init__(self, plan: Plan):
        super().__init__()
        self.router = Router(plan)
        experts = self.router.experts
        network = NETWORKS[plan.gated]
        self.networks = nn.ModuleList(network(plan, experts.d_ff) for _ in range(experts.n_experts))
        self.shared = nn.ModuleList(network(plan, experts.d_ff) for _ in range(experts.n_shared))
        self.shared_gate = nn.Linear(plan.d_model, 1, bias=False) if experts.shared_gate else None

    def forward(self, x: Tensor) -> Tensor:
        """x: ``(..., d_model)``. Returns the same shape."""
        tokens = x.flatten(0, -2)  # (N, D)
        chosen, shares = self.router(tokens)  # (N, top_k), twice
        answer = torch.zeros_like(tokens)
        for i, network in enumerate(self.networks):
            who, rank = (chosen == i).nonzero(as_tuple=True)  # whose choice it is
            if len(who):
                found = shares[who, rank, None] * network(tokens[who])
                answer = answer.index_add(0, who, found.to(answer.dtype))  # autocast's is another
        counts = 1.0 if self.shared_gate is None else self.shared_gate(tokens).sigmoid()
        for network in self.shared:
            answer = answer + counts * network(tokens)
        return answer.view_as(x)
