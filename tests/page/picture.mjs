// The picture of the front page: node picture.mjs REPORT.html PICTURE.png takes it of the report of
// examples/models/pendulum.dae, in mid-swing. `make picture` does it.

import { launch, settle, withPage } from "./browser.mjs";

const [report, picture] = process.argv.slice(2);
const browser = await launch();
await withPage(browser, report, { viewport: { width: 900, height: 1075 } }, async (page) => {
  const motion = page.locator("figure.motion");
  await motion.getByLabel("trails").check();
  await motion.locator("input[type=range]").evaluate((scrubber) => {
    const { min, max } = scrubber;
    scrubber.value = Number(min) + 0.0865 * (max - min);
    scrubber.dispatchEvent(new Event("input", { bubbles: true }));
  });
  await page.locator("h2", { hasText: "Motion" }).evaluate((heading) => {
    window.scrollTo(0, heading.getBoundingClientRect().top + window.scrollY - 10);
  });
  await settle(page);
  await page.screenshot({ path: picture });
});
await browser.close();
