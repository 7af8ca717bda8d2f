"""A figure on the screen, and as it saved itself: are they the same picture?

`ALONE` and `AS_SAVED` run in any browser; between them and after them somebody takes a picture of
the page, of the size that `ALONE` returns.
"""

import numpy as np

# A figure alone on the page, as it is saved, and then as it was saved: what lies where
ALONE = """async (i) => {
    const homes = [...document.querySelectorAll('.tl-figure')];
    const root = homes[i].shadowRoot.querySelector('.figure');
    homes.forEach((home, j) => { home.style.display = j === i ? 'block' : 'none'; });
    scrollTo(0, 0);
    root.classList.add('saved');
    homes[i].style.cssText +=
        'position: absolute; top: 0; left: 0; margin: 0; width: 900px; background: #fff';
    document.activeElement?.shadowRoot?.activeElement?.blur();
    await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
    const { width, height } = root.getBoundingClientRect();
    return [Math.ceil(width), Math.floor(height)];
}"""
AS_SAVED = """async (i) => {
    const home = document.querySelectorAll('.tl-figure')[i];
    const [decode, make] = [HTMLImageElement.prototype.decode, URL.createObjectURL];
    let picture = null; // which is then drawn into its frame
    HTMLImageElement.prototype.decode = function () {
        picture = this;
        return decode.call(this);
    };
    const framed = new Promise((resolve) => {
        URL.createObjectURL = (found) => (resolve(found), make(found)); });
    const save = [...home.shadowRoot.querySelectorAll('.menu button')]
        .find((one) => one.textContent === 'Save as a picture');
    const follow = HTMLAnchorElement.prototype.click;
    HTMLAnchorElement.prototype.click = () => {};
    save.click();
    await framed;
    HTMLImageElement.prototype.decode = decode;
    URL.createObjectURL = make;
    HTMLAnchorElement.prototype.click = follow;
    const text = decodeURIComponent(picture.src.slice(picture.src.indexOf(',') + 1));
    const wrong = new DOMParser().parseFromString(text, 'image/svg+xml')
        .querySelector('parsererror');
    picture.style = 'position: absolute; top: 0; left: 0; z-index: 9; background: #fff';
    home.shadowRoot.querySelector('.figure').style.visibility = 'hidden';
    document.body.append(picture);
    window.restore = () => {
        picture.remove();
        for (const one of document.querySelectorAll('.tl-figure')) one.style = '';
        home.shadowRoot.querySelector('.figure').style.visibility = '';
        home.shadowRoot.querySelector('.figure').classList.remove('saved');
    };
    await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
    return [text, wrong?.textContent];
}"""


def unlike(screen, saved, side, levels):
    """The share of squares of so many pixels a side whose mean colour is, by more than so many of
    256 levels, none that the other picture has at that place or a pixel beside it.
    """
    one, other = (smoothed(picture, side) for picture in (screen, saved))
    one = one[1:-1, 1:-1]
    beyond = np.maximum(beside(np.minimum, other) - one, one - beside(np.maximum, other))
    return (beyond.max(-1) > levels).mean()


def beside(extreme, picture):
    """The least or the most of each pixel and the eight beside it."""
    rows = extreme.reduce([picture[:-2], picture[1:-1], picture[2:]])
    return extreme.reduce([rows[:, :-2], rows[:, 1:-1], rows[:, 2:]])


def smoothed(picture, side):
    """The mean colour of every square of so many pixels a side, from sums over all above and to
    the left.
    """
    sums = np.pad(picture.astype(float), ((1, 0), (1, 0), (0, 0))).cumsum(0).cumsum(1)
    rows = sums[side:] - sums[:-side]
    return (rows[:, side:] - rows[:, :-side]) / side**2


def ink(picture, beyond=0.0):
    """How many pixels are strongly coloured, by hue: red, yellow, green, cyan, blue, magenta. What
    lies `beyond` the middle between two hues counts for both.
    """
    picture = picture.reshape(-1, 3).astype(int)
    picture = picture[np.ptp(picture, axis=1) > 60]
    (red, green, blue) = picture.T
    most = picture.max(1)
    spread = np.ptp(picture, axis=1)
    hue = np.select(
        [most == red, most == green],
        [(green - blue) / spread % 6, (blue - red) / spread + 2],
        (red - green) / spread + 4,
    )
    away = np.abs((hue[:, None] - np.arange(6) + 3) % 6 - 3)
    return (away <= 0.5 + beyond).sum(0)


def differences(screen, saved, lines=0.0006):
    """What is wrong with the saved picture. On the screen boxes and letters stand on whole pixels,
    which depends on the font: a pixel further is no difference. Of squares of 4 pixels a share of
    `lines` may differ clearly, of squares of 16 pixels 1 % a little; of a hue that covers more than
    40 pixels half must be there.
    """
    found = []
    for side, levels, most in ((4, 32, lines), (16, 6, 0.01)):
        for one, other in ((screen, saved), (saved, screen)):
            if (share := unlike(one, other, side, levels)) > most:
                found.append(f"{share:.2%} of the squares of {side} pixels differ")
    for hue, n, left in zip(
        "red yellow green cyan blue magenta".split(), ink(screen), ink(saved, 0.2), strict=True
    ):
        if n > 40 and left < n / 2:
            found.append(f"{left} of {n} {hue} pixels are left")
    return found
