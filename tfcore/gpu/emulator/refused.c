/* What PyCUDA is linked to and the emulator does not have. */
#include "host.h"

static CUresult refuse(void) {
  return CUDA_ERROR_NOT_SUPPORTED;
}

/* Whatever the parameters are. */
#define REFUSE(name) API CUresult name(void) __attribute__((alias("refuse")))

/* ---- Arrays, textures and surfaces */

REFUSE(cuArray3DCreate_v2);
REFUSE(cuArray3DGetDescriptor_v2);
REFUSE(cuArrayCreate_v2);
REFUSE(cuArrayDestroy);
REFUSE(cuArrayGetDescriptor_v2);
REFUSE(cuMemcpyAtoA_v2);
REFUSE(cuMemcpyAtoD_v2);
REFUSE(cuMemcpyAtoH_v2);
REFUSE(cuMemcpyDtoA_v2);
REFUSE(cuMemcpyHtoA_v2);
REFUSE(cuModuleGetSurfRef);
REFUSE(cuModuleGetTexRef);
REFUSE(cuParamSetTexRef);
REFUSE(cuSurfRefGetArray);
REFUSE(cuSurfRefSetArray);
REFUSE(cuTexRefCreate);
REFUSE(cuTexRefDestroy);
REFUSE(cuTexRefGetAddressMode);
REFUSE(cuTexRefGetAddress_v2);
REFUSE(cuTexRefGetArray);
REFUSE(cuTexRefGetFilterMode);
REFUSE(cuTexRefGetFlags);
REFUSE(cuTexRefGetFormat);
REFUSE(cuTexRefSetAddress2D_v3);
REFUSE(cuTexRefSetAddressMode);
REFUSE(cuTexRefSetAddress_v2);
REFUSE(cuTexRefSetArray);
REFUSE(cuTexRefSetFilterMode);
REFUSE(cuTexRefSetFlags);
REFUSE(cuTexRefSetFormat);

/* ---- Memory and events of other processes */

REFUSE(cuIpcCloseMemHandle);
REFUSE(cuIpcGetEventHandle);
REFUSE(cuIpcGetMemHandle);
REFUSE(cuIpcOpenEventHandle);
REFUSE(cuIpcOpenMemHandle_v2);

/* ---- Managed memory */

REFUSE(cuMemAllocManaged);
REFUSE(cuStreamAttachMemAsync);

/* ---- The linker */

REFUSE(cuLinkAddData_v2);
REFUSE(cuLinkAddFile_v2);
REFUSE(cuLinkComplete);
REFUSE(cuLinkCreate_v2);
REFUSE(cuLinkDestroy);

/* ---- Launches as in CUDA 3 */

REFUSE(cuFuncSetSharedSize);
REFUSE(cuLaunch);
REFUSE(cuLaunchGrid);
REFUSE(cuLaunchGridAsync);
REFUSE(cuParamSetSize);
REFUSE(cuParamSetf);
REFUSE(cuParamSeti);
REFUSE(cuParamSetv);

/* ---- The profiler's settings */

REFUSE(cuProfilerInitialize);
