/* What NVIDIA's management library answers on a tray of four cards, for machines without one. */
#include <string.h>
#include <unistd.h>
struct fabric { unsigned version; unsigned char cluster[16]; unsigned status; unsigned clique; unsigned char state; unsigned health; };
struct platform { unsigned version; unsigned char guid[16], chassis[16]; unsigned char slot, tray, host, peer, module; };
static int cards[4] = {0, 1, 2, 3};
int nvmlInit_v2(void) {
  if (HANGS) sleep(1);
  return REFUSES ? 9 : 0;
}
int nvmlInitWithFlags(unsigned flags) { (void)flags; return nvmlInit_v2(); }
int nvmlShutdown(void) { return 0; }
const char *nvmlErrorString(int code) { return code == 9 ? "Driver Not Loaded" : "Unknown Error"; }
int nvmlDeviceGetCount_v2(unsigned *count) { *count = 4; return 0; }
int nvmlDeviceGetHandleByIndex_v2(unsigned index, void **device) {
  if (index > 3) return 2;
  *device = &cards[index];
  return 0;
}
int nvmlDeviceGetGpuFabricInfoV(void *device, struct fabric *info) {
  if (info->version != (sizeof *info | 2u << 24)) return 25;
  int index = *(int *)device;
  for (int place = 0; place < 16; place++) info->cluster[place] = (unsigned char)(place + 1);
  info->status = 0;
  info->clique = 7;
  info->state = index == 3 ? 2 : 3;
  info->health = index == 0 ? 3u << 8 : 1u << 8; /* an incorrect chassis serial number, or nothing wrong */
  return 0;
}
int nvmlDeviceGetPlatformInfo(void *device, struct platform *info) {
  (void)device;
  if (info->version != (sizeof *info | 2u << 24)) return 25;
  memcpy(info->chassis, "1821224170001", 14);
  info->tray = 5;
  return 0;
}
