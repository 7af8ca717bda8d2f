// PyTorch's random numbers on a CPU: the Mersenne Twister (Matsumoto and Nishimura, 1998), and what
// `uniform_` and `normal_` make of it. One seed gives the weights here that `torch.manual_seed`
// gives there.

export class Random {
  #state = new Uint32Array(624);
  #next = 624;
  #spare = null;

  constructor(seed) {
    this.#state[0] = seed;
    for (let i = 1; i < 624; i++) {
      const before = this.#state[i - 1];
      this.#state[i] = Math.imul(1812433253, before ^ (before >>> 30)) + i;
    }
  }

  /** The next 32 random bits. */
  bits() {
    const state = this.#state;
    if (this.#next === 624) {
      for (let i = 0; i < 624; i++) {
        const joined = (state[i] & 0x80000000) | (state[(i + 1) % 624] & 0x7fffffff);
        state[i] = state[(i + 397) % 624] ^ (joined >>> 1) ^ (joined & 1 ? 0x9908b0df : 0);
      }
      this.#next = 0;
    }
    let y = state[this.#next++];
    y ^= y >>> 11;
    y ^= (y << 7) & 0x9d2c5680;
    y ^= (y << 15) & 0xefc60000;
    return (y ^ (y >>> 18)) >>> 0;
  }

  /** A number from 0 up to 1, of 24 bits, or of 53. */
  uniform() {
    return (this.bits() & 0xffffff) / 2 ** 24;
  }

  fine() {
    return ((this.bits() & 0x1fffff) * 2 ** 32 + this.bits()) / 2 ** 53;
  }

  /** Fills data with numbers between -bound and bound. */
  fillUniform(data, bound) {
    for (let i = 0; i < data.length; i++) data[i] = this.uniform() * 2 * bound - bound;
  }

  /** Fills data from the normal distribution. Two uniform numbers give two normal ones (Box and
   * Muller, 1958): the first eight of sixteen are paired with the last eight. Fewer than sixteen
   * are drawn one by one. */
  fillNormal(data, deviation) {
    if (data.length < 16) {
      for (let i = 0; i < data.length; i++) data[i] = this.#normal() * deviation;
      return;
    }
    for (let i = 0; i < data.length; i++) data[i] = this.uniform();
    for (let at = 16; at <= data.length; at += 16) pairs(data.subarray(at - 16, at), deviation);
    if (data.length % 16) {
      const last = data.subarray(-16).map(() => this.uniform());
      pairs(last, deviation);
      data.set(last, data.length - 16);
    }
  }

  #normal() {
    const spare = this.#spare;
    this.#spare = null;
    if (spare !== null) return spare;
    const angle = 2 * Math.PI * this.fine();
    const radius = Math.sqrt(-2 * Math.log1p(-this.fine()));
    this.#spare = radius * Math.sin(angle);
    return radius * Math.cos(angle);
  }
}

function pairs(sixteen, deviation) {
  for (let i = 0; i < 8; i++) {
    const radius = deviation * Math.sqrt(-2 * Math.log(1 - sixteen[i]));
    const angle = 2 * Math.PI * sixteen[i + 8];
    sixteen[i] = radius * Math.cos(angle);
    sixteen[i + 8] = radius * Math.sin(angle);
  }
}
